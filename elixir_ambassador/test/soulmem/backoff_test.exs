defmodule SoulMem.BackoffTest do
  use ExUnit.Case, async: true

  alias SoulMem.Backoff

  test "each pause is in the upper half of twice the one before, up to the cap" do
    for seed <- 1..100 do
      Enum.reduce([100, 200, 400, 800, 1_000, 1_000], backoff(seed), fn ceiling, backoff ->
        {pause, backoff} = Backoff.next(backoff)
        assert pause > div(ceiling, 2) and pause <= ceiling
        backoff
      end)
    end
  end

  test "starts over after a reset" do
    {_pause, backoff} = 1 |> backoff() |> Backoff.next()
    {_pause, backoff} = Backoff.next(backoff)
    {pause, _backoff} = backoff |> Backoff.reset() |> Backoff.next()
    assert pause in 51..100
  end

  test "the same seed gives the same pauses, another seed others" do
    assert pauses(backoff(7)) == pauses(backoff(7))
    refute pauses(backoff(7)) == pauses(backoff(8))
  end

  test "goes on for ever" do
    {pause, _backoff} = Backoff.next(%{backoff(1) | attempt: 1_000_000})
    assert pause in 501..1_000
  end

  defp backoff(seed), do: Backoff.new(min: 100, max: 1_000, seed: seed)

  defp pauses(backoff) do
    1..10 |> Enum.map_reduce(backoff, fn _, backoff -> Backoff.next(backoff) end) |> elem(0)
  end
end
