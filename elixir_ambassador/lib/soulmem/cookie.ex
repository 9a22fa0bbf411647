defmodule SoulMem.Cookie do
  @moduledoc false
  # The secret of the cluster, from a file that only its owner can read. On a command line every user of the machine
  # would see it, so a node boots with a cookie of its own that nobody else has, and takes the true one from here
  # before it speaks to another.

  # 20 characters of 62 are 119 bits.
  @shortest 20

  @doc "Sets this node's cookie, or says what is wrong with the file and how to make one."
  @spec install(Path.t()) :: :ok | {:error, String.t()}
  def install(path) do
    with {:ok, cookie} <- read(path) do
      if Node.alive?(), do: Node.set_cookie(String.to_atom(cookie))
      :ok
    end
  end

  @doc "The cookie in a file that is as it must be."
  @spec read(Path.t()) :: {:ok, String.t()} | {:error, String.t()}
  def read(path) do
    with :ok <- private(path), {:ok, text} <- contents(path), do: strong(path, String.trim(text))
  end

  defp private(path) do
    case File.stat(path) do
      {:ok, %File.Stat{type: :regular, mode: mode}} when Bitwise.band(mode, 0o077) == 0 ->
        :ok

      {:ok, %File.Stat{type: :regular}} ->
        {:error, "others can read the cookie in #{path}: chmod 600 #{path}"}

      _missing ->
        {:error,
         "there is no cookie in #{path}: make one on one machine with `#{making(path)}`, and copy it to the others"}
    end
  end

  defp contents(path) do
    with {:error, reason} <- File.read(path),
         do: {:error, "the cookie in #{path} cannot be read: #{:file.format_error(reason)}"}
  end

  defp strong(path, cookie) do
    cond do
      String.length(cookie) < @shortest ->
        {:error, "the cookie in #{path} is shorter than #{@shortest} characters: make one with `#{making(path)}`"}

      not String.match?(cookie, ~r/\A[0-9A-Za-z_\-]{1,255}\z/) ->
        {:error, "the cookie in #{path} must be one line of letters, digits, `-` and `_`"}

      true ->
        {:ok, cookie}
    end
  end

  defp making(path), do: "(umask 077; head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \\n' > #{path})"
end
