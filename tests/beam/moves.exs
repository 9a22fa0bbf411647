defmodule SoulMem.Tests.Moves do
  # Moving a character, stopped at each of its steps, and pushes by way of the outbox meanwhile.

  alias SoulMem.{Error, Handover, Membership, Ownership}
  alias SoulMem.Tests.{Cluster, Test}

  # Short, so that some pushes are answered by the owner and others wait.
  @post_timeout 300
  @pause 20

  # The functions at whose call a move has come to that step.
  @steps %{
    "create" => {:create, 4, []},
    "give up" => {:arrive, 3, []},
    "export" => {:ship, 4, []},
    "import" => {:import_piece, 4, []},
    "switch" => {:call, 5, [{[:_, "soul.owner", :_, :_, :_], [], []}]}
  }

  # Callers that push to a character by way of the outbox until "cluster hush", each its own writes one after the other.
  def run("post", %{"soul" => soul, "first" => first, "callers" => count}) do
    posts = for caller <- first..(first + count - 1), do: Task.async(fn -> post(soul, caller, 0) end)
    Process.register(self(), Cluster.talk_name(soul))

    receive do
      :hush -> for %Task{pid: pid} <- posts, do: send(pid, :hush)
    end

    Task.await_many(posts, :infinity)
    {:ok, %{"overrun_ms" => 0}}
  end

  # Moves a character here, and stands still at a step until "go on": the test is told "step" then.
  def run("adopt", %{"soul" => soul, "step" => step}) do
    {function, arity, pattern} = @steps[step]
    me = self()
    reached = :atomics.new(1, [])
    watcher = spawn_link(fn -> stand_still(me, step, reached) end)
    Process.register(watcher, __MODULE__)
    {:module, Handover} = Code.ensure_loaded(Handover)
    1 = :erlang.trace_pattern({Handover, function, arity}, if(pattern == [], do: true, else: pattern), [:local])
    :erlang.trace(self(), true, [:call, {:tracer, watcher}])
    result = adopt(soul, reached)
    :erlang.trace(self(), false, [:call])
    Process.unregister(__MODULE__)
    with {:ok, _report} <- result, do: {:ok, %{}}
  end

  def run("go on", _nothing) do
    send(__MODULE__, :go_on)
    {:ok, %{}}
  end

  # Returns once there is one owner, or the copy here is contested.
  def run("await_one_owner", %{"soul" => soul}) do
    Cluster.await(fn -> match?([_one], Membership.owners(SoulMem, soul)) end)
    [owner] = Membership.owners(SoulMem, soul)
    {:ok, %{"node" => Atom.to_string(owner)}}
  end

  # What the copy of this node's daemon is, and how many outboxes it has heard from.
  def run("copy", %{"soul" => soul}) do
    case Ownership.of(node(), soul, SoulMem) do
      {:ok, copy} -> {:ok, %{"state" => copy["ownership"]["state"], "marks" => length(copy["marks"])}}
      {:error, %Error{reason: :unknown_soul}} -> {:ok, %{"state" => "none", "marks" => 0}}
      {:error, %Error{retryable: true}} -> Process.sleep(@pause) && run("copy", %{"soul" => soul})
      {:error, error} -> {:error, error}
    end
  end

  # Returns once nothing waits in the outbox; nothing may have been refused.
  def run("delivered", _nothing) do
    Cluster.await(fn -> match?(%{"waiting" => waiting} when waiting == %{}, SoulMem.Outbox.report(SoulMem)) end)
    {:ok, %{"refused" => SoulMem.Outbox.report(SoulMem)["refused"]}}
  end

  # Every other one is repeated under its key, as one who cannot know whether it was kept would.
  defp post(soul, caller, number) do
    for _try <- 0..rem(number, 2), do: post_once(soul, caller, number)

    receive do
      :hush -> :ok
    after
      @pause -> post(soul, caller, number + 1)
    end
  end

  defp post_once(soul, caller, number) do
    texts = for part <- 0..rem(number, 3), do: "c#{caller}-#{number}-#{part}"
    told = %{"soul" => soul, "caller" => caller, "number" => number}
    options = [outbox: true, timeout: @post_timeout, idempotency_key: "c#{caller}-#{number}"]

    case SoulMem.push(soul, texts, options) do
      {:ok, %{"ids" => [_ | _] = ids}} -> told |> Map.merge(%{"event" => "acknowledged", "ids" => ids}) |> Test.tell()
      # It is kept, and goes out once.
      {:ok, _queued_or_repeated} -> told |> Map.put("event", "acknowledged") |> Test.tell()
      # It may be kept.
      {:error, %Error{reason: reason}} when reason != :conflict -> told |> Map.put("event", "asked") |> Test.tell()
    end
  end

  # What the fault before left may have to be taken back first.
  defp adopt(soul, reached) do
    result = SoulMem.adopt(soul)

    if match?({:error, _error}, result) and :atomics.get(reached, 1) == 0 do
      Process.sleep(@pause)
      adopt(soul, reached)
    else
      result
    end
  end

  # The move has made the call by the time that this is heard of, and does no more.
  defp stand_still(move, step, reached) do
    receive do
      {:trace, ^move, :call, _call} ->
        :atomics.put(reached, 1, 1)
        :erlang.suspend_process(move)
        Test.tell(%{"event" => "step", "step" => step})
        receive(do: (:go_on -> :erlang.resume_process(move)))
        # What is traced from now on is not waited for.
        Process.sleep(:infinity)
    end
  end
end
