defmodule SoulMem.Tests.Times do
  # How long things take, measured where an application would notice.

  alias SoulMem.{Connection, Daemon, Protocol, Socket}
  alias SoulMem.Tests.Stalls

  @patience 110_000
  # What a subscriber that does not read may have unread.
  @mailbox 1_000

  # One call after the other, so many; how long each took, sorted, in microseconds.
  def run("latencies", %{"soul" => soul, "calls" => calls}) do
    stalls = Stalls.start()

    latencies =
      timed(calls, fn _number -> {:ok, _payload} = SoulMem.stats(soul, timeout: @patience, retries: 100) end)

    {:ok, %{"microseconds" => latencies, "stall_ms" => Stalls.longest(stalls)}}
  end

  # The same on a connection of its own to this node's daemon, with nothing of ours between.
  def run("daemon latencies", %{"soul" => soul, "calls" => calls}) do
    {:up, ready} = Daemon.watch(Daemon)
    {:ok, socket} = Socket.open(ready, 1_048_576)
    {:ok, _hello} = :gen_tcp.recv(socket, 0, @patience)

    latencies =
      timed(calls, fn number ->
        {:ok, frame} = Protocol.encode(:req, %{msg_id: number, op: "stats", soul: soul, payload: %{}})
        :ok = :gen_tcp.send(socket, frame)
        {:ok, answer} = :gen_tcp.recv(socket, 0, @patience)
        {:ok, %{kind: :res}} = Protocol.decode(answer)
      end)

    :gen_tcp.close(socket)
    {:ok, %{"microseconds" => latencies, "stall_ms" => 0}}
  end

  # Notes written one after the other: how long each call took, and how long until this subscriber was told of it.
  def run("event latencies", %{"soul" => soul, "calls" => calls}) do
    :ok = SoulMem.subscribe(soul, timeout: @patience)

    {written, told} =
      Enum.unzip(
        for number <- 1..calls do
          started = now()
          {:ok, %{"notes" => [%{"id" => id}]}} = SoulMem.put_notes(soul, [note(number)], timeout: @patience)
          written = now()
          receive(do: ({:soulmem, %{event: "note.changed", payload: %{"ids" => [^id]}}} -> {written - started, now() - started}))
        end
      )

    :ok = SoulMem.unsubscribe(soul)
    {:ok, %{"written" => Enum.sort(written), "told" => Enum.sort(told)}}
  end

  # A subscriber that has as much unread as it may, and never reads.
  def run("slow subscriber", %{"soul" => soul}) do
    test = self()

    spawn_link(fn ->
      send(test, {:subscribed, SoulMem.subscribe(soul, timeout: @patience)})
      for _number <- 1..@mailbox, do: send(self(), :unread)
      Process.sleep(:infinity)
    end)

    receive(do: ({:subscribed, :ok} -> {:ok, %{}}))
  end

  # So many callers, each pushing one after the other for that long: how many pushes were acknowledged.
  def run("throughput", %{"soul" => soul, "callers" => count, "seconds" => seconds}) do
    :ok = if SoulMem.Instance.role(SoulMem) == {:ok, :daemon}, do: Connection.await(Connection, @patience), else: :ok
    until = System.monotonic_time(:millisecond) + seconds * 1_000
    text = String.duplicate("x", 80)
    callers = for _caller <- 1..count, do: Task.async(fn -> push_until(soul, text, until, 0) end)
    {:ok, %{"pushes" => callers |> Task.await_many(:infinity) |> Enum.sum()}}
  end

  defp push_until(soul, text, until, pushes) do
    {:ok, _payload} = SoulMem.push(soul, text, timeout: @patience, retries: 100)
    if System.monotonic_time(:millisecond) < until, do: push_until(soul, text, until, pushes + 1), else: pushes + 1
  end

  defp note(number) do
    about = %{content: "bird #{number}", aliases: [], concept_type: "Entity", description: "the #{number}th that was seen"}
    %{tags: ["bird"], mem_type: %{"Semantic" => about}}
  end

  defp timed(calls, call), do: Enum.sort(for number <- 1..calls, do: number |> timed_once(call))

  defp timed_once(number, call) do
    {microseconds, _result} = :timer.tc(call, [number])
    microseconds
  end

  defp now, do: System.monotonic_time(:microsecond)
end
