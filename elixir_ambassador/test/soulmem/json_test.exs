defmodule SoulMem.JSONTest do
  use ExUnit.Case, async: true

  alias SoulMem.JSON

  test "reads every kind of value" do
    text = ~S( {"a": [1, -2, 0.5, 1e3, 1.5E-1, true, false, null], "记": {"": "x"}} )

    assert JSON.decode(text) ==
             {:ok, %{"a" => [1, -2, 0.5, 1.0e3, 0.15, true, false, nil], "记" => %{"" => "x"}}}

    assert JSON.decode("[]") == {:ok, []}
    assert JSON.decode("18446744073709551615") == {:ok, 0xFFFFFFFFFFFFFFFF}
  end

  test "reads escapes" do
    assert JSON.decode(~S("\"\\\/\b\f\n\r\t\u8bb0\ud83d\ude00")) == {:ok, "\"\\/\b\f\n\r\t记😀"}
  end

  test "refuses what is not JSON" do
    for text <- [
          "",
          "{",
          "[1,]",
          "{\"a\":1,}",
          "{a:1}",
          "01",
          "1.",
          ".5",
          "+1",
          "nul",
          "\"",
          "\"\n\"",
          ~S("\x"),
          ~S("\u12"),
          ~S("\ud83d"),
          ~S("\ude00"),
          ~S("\ud83dx"),
          "1 2",
          ~S({"a":1,"a":2}),
          "1e999",
          <<?", 0xFF, ?">>,
          String.duplicate("[", 1_000)
        ] do
      assert {:error, reason} = JSON.decode(text)
      assert is_binary(reason)
    end
  end
end
