defmodule SoulMem.ReadyLineTest do
  use ExUnit.Case, async: true

  alias SoulMem.ReadyLine

  @line ~S({"event":"ready","port":40123,"token":"5ec2e7","pid":77,"protocol":1,"version":"0.1.0"})

  test "says where the daemon is" do
    assert {:ok, %ReadyLine{port: 40_123, token: token, pid: 77, version: "0.1.0"}} = ReadyLine.parse(@line)
    assert token.() == "5ec2e7"
  end

  test "may say more" do
    assert {:ok, _ready} = @line |> String.replace("{", ~S({"more":{"a":1},)) |> ReadyLine.parse()
  end

  test "a newer protocol is for hello to decide" do
    assert {:ok, _ready} = @line |> String.replace("\"protocol\":1", "\"protocol\":2") |> ReadyLine.parse()
  end

  test "anything else is refused, without repeating it" do
    for line <- [
          "",
          "hello 5ec2e7",
          "[]",
          String.replace(@line, "ready", "rady"),
          String.replace(@line, "\"protocol\":1", "\"protocol\":0"),
          String.replace(@line, "\"protocol\":1", "\"protocol\":\"2\""),
          String.replace(@line, "40123", "0"),
          String.replace(@line, "40123", "65536"),
          String.replace(@line, "40123", "\"40123\""),
          String.replace(@line, "\"pid\":77,", ""),
          String.slice(@line, 0..-2//1)
        ] do
      assert {:error, reason} = ReadyLine.parse(line)
      refute reason =~ "5ec2e7"
    end
  end

  test "the token does not show in whatever form it is printed" do
    {:ok, ready} = ReadyLine.parse(@line)
    refute inspect(ready) =~ "5ec2e7"
    refute to_string(:io_lib.format("~p", [ready])) =~ "5ec2e7"
  end
end
