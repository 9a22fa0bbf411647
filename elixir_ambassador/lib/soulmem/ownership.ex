defmodule SoulMem.Ownership do
  @moduledoc false
  # A character has one owner. That two machines claim to be it (a copied disk, a restored backup) is found here, on both:
  # each asks the other, and where the other says so too, has its daemon refuse writes until a human has chosen. The
  # daemon keeps that: it holds after a restart, and while the machines do not see each other.
  #
  # What a move that was interrupted left here is taken back. A copy that came out of a backup becomes the owner once nobody
  # else was seen to be for a while; where somebody is, it is an old copy.

  use GenServer

  require Logger

  alias SoulMem.{Ambassador, Announcer, Error, Handover, Instance, Membership, Options, Request, Router}

  @ask_timeout 10_000

  # A node that could not be asked is asked again.
  @again 2_000

  @enforce_keys [:instance, :patience]
  defstruct [:instance, :patience, asking: %{}, moving: %{}, restored: %{}]

  @doc "`:patience` is how long nobody else must be seen to own what came out of a backup, in milliseconds."
  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    instance = Keyword.fetch!(options, :instance)
    GenServer.start_link(__MODULE__, options, name: Instance.process(instance, __MODULE__))
  end

  @doc "The calling process moves the character here, until it says that it no longer does, or ends."
  @spec moving(Instance.t(), String.t()) :: :ok | {:error, Error.t()}
  def moving(instance, soul), do: GenServer.call(Instance.process(instance, __MODULE__), {:moving, soul, self()})

  @spec moved(Instance.t(), String.t()) :: :ok
  def moved(instance, soul), do: GenServer.call(Instance.process(instance, __MODULE__), {:moved, soul, self()})

  @doc "Says that this node's daemon has a copy that somebody must look after: one that arrives, or that was restored."
  @spec look_after(Instance.t(), String.t(), :arriving | :restored) :: :ok
  def look_after(instance, soul, what),
    do: GenServer.cast(Instance.process(instance, __MODULE__), {:look_after, what, soul})

  @doc "What the copy of a node is, and how far its journal and every outbox have come in it."
  @spec of(node(), String.t(), Instance.t()) :: {:ok, map()} | {:error, Error.t()}
  def of(node, soul, instance), do: ask(node, soul, %{}, instance)

  @doc "Makes the copy of a node that, in its daemon and for the cluster."
  @spec set(node(), String.t(), map(), Instance.t()) :: {:ok, map()} | {:error, Error.t()}
  def set(node, soul, ownership, instance), do: ask(node, soul, %{set: ownership}, instance)

  @doc "Tells the cluster what this node's daemon was just told that its copy is."
  @spec concluded(String.t(), map(), Instance.t()) :: :ok
  def concluded(soul, %{"ownership" => ownership}, instance) do
    # One that came out of a backup is not announced before it was asked about.
    here? = ownership["state"] in ["owner", "contested"] and ownership["restored"] != true
    Announcer.changed(instance, if(here?, do: :made, else: :gone), soul)
  end

  @impl true
  def init(options) do
    instance = options[:instance]
    :ok = Membership.watch(instance)
    {:ok, %__MODULE__{instance: instance, patience: options[:patience]}, {:continue, :look}}
  end

  @impl true
  def handle_continue(:look, state) do
    souls = Membership.souls(state.instance)
    {:noreply, Enum.reduce(souls, state, &look(&2, &1))}
  end

  @impl true
  def handle_call({:moving, soul, pid}, _from, state) do
    if busy?(state, soul) do
      {:reply, {:error, Error.new(:conflict, op: "adopt", soul: soul, detail: "it is being moved here already")}, state}
    else
      {:reply, :ok, put_in(state.moving[Process.monitor(pid)], {soul, pid})}
    end
  end

  def handle_call({:moved, soul, pid}, _from, state) do
    {done, moving} = Enum.split_with(state.moving, fn {_monitor, move} -> move == {soul, pid} end)
    for {monitor, _move} <- done, do: Process.demonitor(monitor, [:flush])
    {:reply, :ok, %{state | moving: Map.new(moving)}}
  end

  @impl true
  def handle_cast({:look_after, what, soul}, state) do
    if busy?(state, soul), do: {:noreply, state}, else: {:noreply, look_after_now(what, soul, state)}
  end

  @impl true
  def handle_info({Membership, :found, soul, _node}, state), do: {:noreply, look(state, soul)}
  def handle_info({:look, soul}, state), do: {:noreply, look(state, soul)}

  def handle_info({task, outcome}, state) when is_map_key(state.asking, task) do
    Process.demonitor(task, [:flush])
    {soul, asking} = Map.pop!(state.asking, task)
    if outcome == :again, do: Process.send_after(self(), {:look, soul}, @again)
    {:noreply, %{state | asking: asking}}
  end

  def handle_info({:DOWN, task, :process, _pid, _reason}, state) when is_map_key(state.asking, task) do
    {soul, asking} = Map.pop!(state.asking, task)
    Process.send_after(self(), {:look, soul}, @again)
    {:noreply, %{state | asking: asking}}
  end

  # Whoever moved it is gone; what is left is found at the next look.
  def handle_info({:DOWN, monitor, :process, _pid, _reason}, state) when is_map_key(state.moving, monitor),
    do: {:noreply, %{state | moving: Map.delete(state.moving, monitor)}}

  def handle_info(_other, state), do: {:noreply, state}

  defp busy?(state, soul) do
    soul in Map.values(state.asking) or Enum.any?(state.moving, &match?({_monitor, {^soul, _pid}}, &1))
  end

  defp look_after_now(:arriving, soul, state) do
    instance = state.instance
    in_task(state, soul, fn -> taken_back(Handover.take_back(soul, instance), soul) end)
  end

  defp look_after_now(:restored, soul, state) do
    since = Map.get(state.restored, soul, now())
    others = Membership.owners(state.instance, soul) -- [node()]
    instance = state.instance

    case {others, Membership.lost_owner(instance, soul)} do
      {[owner | _], _lost} ->
        in_task(forget(state, soul), soul, fn -> yield_to(owner, soul, instance) end)

      {[], {:ok, lost}} when lost != node() ->
        in_task(forget(state, soul), soul, fn -> yield_to(lost, soul, instance) end)

      _nobody ->
        if now() - since >= state.patience,
          do: in_task(forget(state, soul), soul, fn -> set(node(), soul, %{state: "owner"}, instance) end),
          else: put_in(state.restored[soul], since)
    end
  end

  defp forget(state, soul), do: %{state | restored: Map.delete(state.restored, soul)}

  defp taken_back({:owner, owner}, soul),
    do: Logger.warning("moving #{soul} here was interrupted: #{owner} is its owner")

  defp taken_back({:error, error}, soul),
    do: Logger.warning("moving #{soul} here was interrupted, and is not taken back yet: #{Exception.message(error)}")

  defp taken_back(:ok, _soul), do: :ok

  # The other goes on; this copy is read, and its health names both.
  defp yield_to(owner, soul, instance) do
    claims = claims(for node <- [node(), owner], do: {node, of(node, soul, instance)})
    Logger.error("#{soul} came out of a backup here, and lives on #{owner}: this copy is only read")
    set(node(), soul, %{state: "handed_over", node: Atom.to_string(owner), claims: claims}, instance)
  end

  # This process waits for nobody: a task asks.
  defp look(state, soul) do
    owners = Membership.owners(state.instance, soul)

    instance = state.instance

    if node() in owners and length(owners) > 1 and soul not in Map.values(state.asking),
      do: in_task(state, soul, fn -> compare(soul, owners, instance) end),
      else: state
  end

  defp in_task(state, soul, work) do
    supervisor = Instance.process(state.instance, SoulMem.Senders)
    %Task{ref: task} = Task.Supervisor.async_nolink(supervisor, work)
    put_in(state.asking[task], soul)
  end

  # What was announced may be over by now; what the copies say of themselves counts.
  defp compare(soul, owners, instance) do
    copies = for node <- owners, do: {node, node |> of(soul, instance) |> known()}

    cond do
      Enum.any?(copies, &match?({_node, {:error, _error}}, &1)) -> :again
      match?([_, _ | _], claims = claims(copies)) -> contest(soul, claims, Map.new(copies)[node()], instance)
      true -> :done
    end
  end

  # A daemon of a version that knows nothing of owners writes to what it has: it claims it, whatever else it may be told.
  defp known({:error, %Error{reason: :unknown_op}}), do: {:ok, %{"ownership" => %{"state" => "owner"}, "position" => 0}}
  defp known(answer), do: answer

  defp claims(copies) do
    for {node, {:ok, %{"ownership" => %{"state" => state}} = copy}} <- copies, state in ["owner", "contested"] do
      %{"node" => Atom.to_string(node), "position" => copy["position"]}
    end
  end

  # Found before, and nobody has come since: where the journals stood then is what tells the copies apart.
  defp contest(soul, claims, {:ok, %{"ownership" => %{"state" => "contested", "claims" => known}}}, instance) do
    if nodes(claims) == nodes(known), do: :done, else: write_contest(soul, claims, instance)
  end

  defp contest(soul, claims, _owner, instance), do: write_contest(soul, claims, instance)

  defp write_contest(soul, claims, instance) do
    case set(node(), soul, %{state: "contested", claims: claims}, instance) do
      {:ok, _copy} ->
        Logger.error(
          "#{soul} is on more than one machine (#{Enum.join(nodes(claims), ", ")}): none of them is written to until " <>
            "SoulMem.choose/3 says which"
        )

        :done

      {:error, error} ->
        Logger.error("#{soul} is on more than one machine: #{Exception.message(error)}")
        if error.reason == :unknown_op, do: :done, else: :again
    end
  end

  defp nodes(claims), do: Enum.sort(for claim <- claims, do: claim["node"])

  defp now, do: System.monotonic_time(:millisecond)

  defp ask(node, soul, payload, instance) do
    options = Options.call!(instance: instance, timeout: @ask_timeout)

    with {:ok, request} <- Request.new("soul.owner", soul, payload, options) do
      if node == node(), do: Router.local(request, instance), else: Ambassador.call(node, instance, request)
    end
  end
end
