defmodule SoulMem.Tests.Cluster do
  # What a node does as one of several.

  alias SoulMem.{Error, Membership}
  alias SoulMem.Tests.{Stalls, Test}

  @patience 110_000

  def run("await_owner", %{"soul" => soul, "node" => node}) do
    await(fn -> Membership.owners(SoulMem, soul) == [String.to_atom(node)] end)
    {:ok, %{}}
  end

  # Callers that write to a character until "hush", each its own writes, at this node wherever the character lives. No
  # call may outlast its timeout: the longest time that one did is the outcome, less what the machine held everybody up.
  def run("talk", %{"soul" => soul, "first" => first, "callers" => count, "timeout" => timeout}) do
    stalls = Stalls.start()
    talk = for caller <- first..(first + count - 1), do: Task.async(fn -> write({soul, caller, timeout, stalls}, 0, 0) end)
    Process.register(self(), talk_name(soul))

    receive do
      :hush -> for %Task{pid: pid} <- talk, do: send(pid, :hush)
    end

    {:ok, %{"overrun_ms" => talk |> Task.await_many(:infinity) |> Enum.max()}}
  end

  def run("hush", %{"soul" => soul}) do
    tell_hush(talk_name(soul))
  end

  # So many callers at once, each call once: how they came out, and how long they took at most.
  def run("storm", %{"soul" => soul, "callers" => count, "timeout" => timeout, "text" => text}) do
    stalls = Stalls.start()

    calls =
      for number <- 1..count do
        Task.async(fn -> timed_push(soul, "#{text} #{number}", [timeout: timeout, retries: 0], stalls) end)
      end

    outcomes = Task.await_many(calls, :infinity)
    by_reason = outcomes |> Enum.map(&elem(&1, 0)) |> Enum.frequencies()
    {:ok, %{"outcomes" => by_reason, "overrun_ms" => outcomes |> Enum.map(&elem(&1, 1)) |> Enum.max()}}
  end

  def run("listen", %{"soul" => soul}) do
    test = self()

    spawn_link(fn ->
      send(test, {:listening, SoulMem.subscribe(soul, timeout: @patience)})
      tell_events()
    end)

    receive do
      {:listening, :ok} -> {:ok, %{}}
      {:listening, {:error, error}} -> {:error, error}
    end
  end

  def run("memory", _nothing) do
    {:ok, %{"bytes" => :erlang.memory(:total), "processes" => :erlang.system_info(:process_count)}}
  end

  # Returns once nothing waits in any mailbox of the application.
  def run("drained", _nothing) do
    await(fn -> Enum.all?(processes(), &(Process.info(&1, :message_queue_len) in [nil, {:message_queue_len, 0}])) end)
    {:ok, %{}}
  end

  def announce_nodes do
    :ok = :net_kernel.monitor_nodes(true)
    announce_next_node()
  end

  defp announce_next_node do
    receive do
      {change, node} -> Test.tell(%{"event" => Atom.to_string(change), "node" => Atom.to_string(node)})
    end

    announce_next_node()
  end

  defp tell_events do
    receive do
      {:soulmem, %{event: event, soul: soul}} when event in ["owner_lost", "owner_back"] ->
        Test.tell(%{"event" => event, "soul" => soul})

      _other ->
        :ok
    end

    tell_events()
  end

  defp write({soul, caller, timeout, stalls} = who, number, overrun) do
    texts = for part <- 0..rem(number, 3), do: "c#{caller}-#{number}-#{part}"
    {ids, overrun} = push(soul, texts, [idempotency_key: "c#{caller}-#{number}", timeout: timeout], stalls, overrun)
    Test.tell(%{"event" => "acknowledged", "soul" => soul, "caller" => caller, "number" => number, "ids" => ids})

    receive do
      :hush -> overrun
    after
      0 -> write(who, number + 1, overrun)
    end
  end

  # Until it is acknowledged, always under the same key.
  defp push(soul, texts, options, stalls, overrun) do
    {outcome, over, result} = timed_push(soul, texts, options, stalls)
    overrun = max(overrun, over)

    case result do
      {:ok, %{"ids" => ids}} ->
        {ids, overrun}

      {:error, %Error{retryable: retryable, reason: reason}} when retryable or reason == :no_owner ->
        Process.sleep(20)
        push(soul, texts, options, stalls, overrun)

      {:error, error} ->
        raise "#{outcome}: #{Exception.message(error)}"
    end
  end

  defp timed_push(soul, text, options, stalls) do
    started = System.monotonic_time(:millisecond)
    result = SoulMem.push(soul, text, options)
    over = System.monotonic_time(:millisecond) - started - options[:timeout]
    {outcome(result), max(over - Stalls.longest(stalls), 0), result}
  end

  defp outcome({:ok, _payload}), do: "ok"
  defp outcome({:error, error}), do: Atom.to_string(error.reason)

  def talk_name(soul), do: Module.concat(__MODULE__, soul)

  # Those who are to be quiet may have been asked to talk this moment, and not have begun.
  def tell_hush(name) do
    await(fn -> Process.whereis(name) end)
    send(name, :hush)
    {:ok, %{}}
  end

  defp processes do
    for(name <- Process.registered(), String.starts_with?(inspect(name), "SoulMem"), do: Process.whereis(name))
    |> Enum.reject(&is_nil/1)
  end

  # For what tells nobody when it comes to be.
  def await(condition) do
    unless condition.() do
      Process.sleep(10)
      await(condition)
    end
  end
end

defmodule SoulMem.Tests.Stalls do
  # How long this whole node was held up at a stretch: the machine is busy, or the node was stopped. What no process got
  # to do meanwhile is no fault of the one that is measured.

  @beat 20

  def start do
    longest = :atomics.new(1, [])
    spawn_link(fn -> beat(longest, now()) end)
    longest
  end

  def longest(longest), do: :atomics.get(longest, 1)

  defp beat(longest, before) do
    Process.sleep(@beat)
    stall = now() - before - @beat
    if stall > :atomics.get(longest, 1), do: :atomics.put(longest, 1, stall)
    beat(longest, now())
  end

  defp now, do: System.monotonic_time(:millisecond)
end
