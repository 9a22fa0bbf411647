defmodule SoulMem.Tests.Callers do
  # Processes that write to a character without end, each its own writes one after the other, each write until it is
  # acknowledged, always under the same key. The test makes the same texts and keys (`Write` in src/ledger.rs).

  alias SoulMem.Tests.Test

  # A push is far from that long; one that takes it is repeated.
  @timeout 10_000

  @doc "Has so many callers write until `hush/0`; returns how many writes were acknowledged."
  def talk(soul, count) do
    Process.register(self(), __MODULE__)
    callers = for caller <- 0..(count - 1), do: Task.async(fn -> write(soul, caller, 0) end)

    receive do
      :hush -> for %Task{pid: pid} <- callers, do: send(pid, :hush)
    end

    callers |> Task.await_many(:infinity) |> Enum.sum()
  end

  def hush, do: SoulMem.Tests.Cluster.tell_hush(__MODULE__)

  defp write(soul, caller, number) do
    texts = for part <- 0..rem(number, 3), do: "c#{caller}-#{number}-#{part}"
    ids = push(soul, texts, "c#{caller}-#{number}")
    Test.tell(%{"event" => "acknowledged", "caller" => caller, "number" => number, "ids" => ids})

    receive do
      :hush -> number + 1
    after
      0 -> write(soul, caller, number + 1)
    end
  end

  defp push(soul, texts, key) do
    case SoulMem.push(soul, texts, idempotency_key: key, timeout: @timeout) do
      {:ok, %{"ids" => ids}} ->
        ids

      {:error, %SoulMem.Error{retryable: true}} ->
        :ok = SoulMem.await_ready(timeout: 110_000)
        push(soul, texts, key)
    end
  end
end
