defmodule SoulMem.WireValues do
  @moduledoc false
  # Random values of the wire, drawn from a seed, leaning to the borders where encodings change.

  import Bitwise

  @borders [
    0,
    1,
    31,
    32,
    33,
    127,
    128,
    255,
    256,
    0xFFFF,
    0x10000,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF
  ]
  @wide [0x100000000, (1 <<< 63) - 1, 1 <<< 63, (1 <<< 64) - 1]
  @texts ["", "a", "记忆", "👩‍👩‍👧‍👦", "שלום", "e\u0301", "\0", "\u{10FFFF}"]

  def with_seed(seed, fun) do
    :rand.seed(:exsss, {seed, seed, seed})
    fun.()
  end

  def value(depth \\ 4)
  def value(0), do: scalar()

  def value(depth) do
    case :rand.uniform(4) do
      1 -> for _ <- 1..size()//1, do: value(depth - 1)
      2 -> for _ <- 1..size()//1, into: %{}, do: {text(), value(depth - 1)}
      _ -> scalar()
    end
  end

  def scalar do
    case :rand.uniform(6) do
      1 -> Enum.random([nil, true, false])
      2 -> integer()
      3 -> float()
      4 -> {:bin, :rand.bytes(size())}
      _ -> text()
    end
  end

  def text do
    case :rand.uniform(8) do
      1 -> String.duplicate("x", Enum.random([31, 32, 255, 256, 65_535, 65_536]))
      _ -> for _ <- 1..:rand.uniform(4), into: "", do: Enum.random(@texts)
    end
  end

  defp integer do
    border = Enum.random(@borders ++ @wide)
    if border <= 1 <<< 63 and :rand.uniform(2) == 1, do: -border, else: border
  end

  # Any bit pattern that is a number.
  defp float do
    case :rand.bytes(8) do
      <<number::float-64>> -> number
      _not_finite -> -0.0
    end
  end

  defp size, do: Enum.random([0, 1, 2, 3, 15, 16, 17])
end
