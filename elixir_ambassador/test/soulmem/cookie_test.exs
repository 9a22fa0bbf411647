defmodule SoulMem.CookieTest do
  use ExUnit.Case, async: true

  alias SoulMem.Cookie

  @moduletag :tmp_dir

  setup %{tmp_dir: dir}, do: %{path: Path.join(dir, ".erlang.cookie")}

  test "a private file with a long enough line is taken", %{path: path} do
    write(path, String.duplicate("a1", 20) <> "\n", 0o600)
    assert Cookie.read(path) == {:ok, String.duplicate("a1", 20)}
    File.chmod!(path, 0o400)
    assert {:ok, _cookie} = Cookie.read(path)
  end

  test "every other says what is wrong with it and what to do", %{path: path} do
    assert {:error, "there is no cookie in " <> making} = Cookie.read(path)

    for mode <- [0o640, 0o604, 0o660, 0o644, 0o610] do
      write(path, String.duplicate("a", 40), mode)
      assert Cookie.read(path) == {:error, "others can read the cookie in #{path}: chmod 600 #{path}"}
    end

    for short <- ["", "\n", String.duplicate("a", 19)] do
      write(path, short, 0o600)
      assert {:error, reason} = Cookie.read(path)
      assert reason =~ "is shorter than 20 characters"
    end

    for odd <- ["two lines of it\nand another one", String.duplicate("a", 256), String.duplicate("ö", 30)] do
      write(path, odd, 0o600)
      assert {:error, reason} = Cookie.read(path)
      assert reason =~ "one line of letters"
    end

    # The command that the message gives makes one that is taken.
    [_, command] = Regex.run(~r/`(.*)`/, making)
    File.rm!(path)
    {_output, 0} = System.cmd("/bin/sh", ["-c", command])
    assert {:ok, cookie} = Cookie.read(path)
    assert String.length(cookie) == 64
  end

  defp write(path, text, mode) do
    File.write!(path, text)
    File.chmod!(path, mode)
  end
end
