defmodule SoulMem.Membership do
  @moduledoc false
  # Who serves which character, as this node knows it. Owners are the members of the groups `{:soul, name}` of a
  # private `:pg` scope, which a caller reads without asking any process; this process notices how they change.
  #
  # It only watches: `SoulMem.Announcer` is what joins. On OTP 25 `:pg` crashes when one process does both and ends.
  #
  # A watcher gets `{SoulMem.Membership, :found | :lost, soul, node}`.

  use GenServer

  alias SoulMem.{Ambassador, Instance, Peer, Watchers}

  @enforce_keys [:instance, :reference]
  defstruct [:instance, :reference, peers: %{}, watchers: Watchers.new()]

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    instance = Keyword.fetch!(options, :instance)
    GenServer.start_link(__MODULE__, instance, name: Instance.process(instance, __MODULE__))
  end

  @doc "The name of the scope of an instance, and of its process."
  @spec scope(Instance.t()) :: atom()
  def scope(instance), do: Instance.process(instance, SoulMem.Scope)

  @doc "The nodes that serve a character, sorted. More than one is a conflict that `SoulMem.Ownership` deals with."
  @spec owners(Instance.t(), String.t()) :: [node()]
  def owners(instance, soul) do
    instance |> scope() |> :pg.get_members({:soul, soul}) |> nodes()
  rescue
    # The scope is being started anew.
    ArgumentError -> []
  end

  @doc "The characters that anybody serves."
  @spec souls(Instance.t()) :: [String.t()]
  def souls(instance), do: for({:soul, soul} <- :pg.which_groups(scope(instance)), do: soul)

  @doc "The node that served a character when it was last heard of, where none does now."
  @spec lost_owner(Instance.t(), String.t()) :: {:ok, node()} | :error
  def lost_owner(instance, soul) do
    # A node that is gone leaves its groups a moment before this process hears of it. A caller of that moment must not take
    # the character for one that nobody has.
    with :error <- look_up(instance, {:lost, soul}),
         [] <- owners(instance, soul) do
      look_up(instance, {:last, soul})
    else
      {:ok, node} -> {:ok, node}
      [_ | _] -> :error
    end
  end

  @doc "What watches over the ambassador of a node; it ends when that is gone or was never there."
  @spec peer(Instance.t(), node()) :: {:ok, pid()} | :error
  def peer(instance, node) do
    with :error <- look_up(instance, {:peer, node}) do
      {:ok, GenServer.call(Instance.process(instance, __MODULE__), {:peer, node})}
    end
  catch
    :exit, _gone -> :error
  end

  @doc "Tells the calling process what changes from now on."
  @spec watch(Instance.t()) :: :ok
  def watch(instance), do: GenServer.call(Instance.process(instance, __MODULE__), {:watch, self()})

  @doc "Everything that is known, with names as text: for `health`."
  @spec report(Instance.t()) :: map()
  def report(instance) do
    owners =
      for {:soul, soul} <- :pg.which_groups(scope(instance)), into: %{} do
        {soul, instance |> owners(soul) |> Enum.map(&Atom.to_string/1)}
      end

    lost = :ets.match(Instance.process(instance, __MODULE__), {{:lost, :"$1"}, :"$2"})

    %{
      "node" => Atom.to_string(node()),
      "nodes" => Node.list() |> Enum.map(&Atom.to_string/1) |> Enum.sort(),
      "owners" => owners,
      "unreachable" => Map.new(lost, fn [soul, node] -> {soul, Atom.to_string(node)} end)
    }
  rescue
    ArgumentError -> %{"node" => Atom.to_string(node())}
  end

  @impl true
  def init(instance) do
    :ets.new(Instance.process(instance, __MODULE__), [:named_table, :protected, read_concurrency: true])
    {reference, groups} = :pg.monitor_scope(scope(instance))
    state = %__MODULE__{instance: instance, reference: reference}
    {:ok, Enum.reduce(groups, state, fn {group, pids}, state -> joined(state, group, pids) end)}
  end

  @impl true
  def handle_call({:peer, node}, _from, state) do
    {peer, state} = ensure_peer(state, node)
    {:reply, peer, state}
  end

  def handle_call({:watch, pid}, _from, state) do
    {:reply, :ok, %{state | watchers: Watchers.add(state.watchers, pid)}}
  end

  @impl true
  def handle_info({reference, :join, group, pids}, %{reference: reference} = state) do
    {:noreply, joined(state, group, pids)}
  end

  def handle_info({reference, :leave, group, pids}, %{reference: reference} = state) do
    {:noreply, left(state, group, pids)}
  end

  def handle_info({:DOWN, _monitor, :process, pid, _reason}, state) do
    case Map.pop(state.peers, pid) do
      {nil, _peers} ->
        {:noreply, %{state | watchers: Watchers.remove(state.watchers, pid)}}

      {node, peers} ->
        :ets.match_delete(table(state), {{:peer, node}, pid})
        {:noreply, %{state | peers: peers}}
    end
  end

  defp joined(state, {:soul, soul}, pids) do
    :ets.insert(table(state), {{:last, soul}, hd(nodes(pids))})
    :ets.delete(table(state), {:lost, soul})
    Enum.each(nodes(pids), &Watchers.tell(state.watchers, {__MODULE__, :found, soul, &1}))
    state
  end

  defp left(state, {:soul, soul}, pids) do
    case owners(state.instance, soul) do
      [] -> Enum.each(nodes(pids), &:ets.insert(table(state), {{:lost, soul}, &1}))
      [other | _] -> :ets.insert(table(state), {{:last, soul}, other})
    end

    Enum.each(nodes(pids), &Watchers.tell(state.watchers, {__MODULE__, :lost, soul, &1}))
    state
  end

  defp ensure_peer(state, node) do
    case :ets.lookup(table(state), {:peer, node}) do
      [{_key, peer}] ->
        {peer, state}

      [] ->
        peer = Peer.start_link(Instance.process(state.instance, Ambassador), node)
        Process.monitor(peer)
        :ets.insert(table(state), {{:peer, node}, peer})
        {peer, put_in(state.peers[peer], node)}
    end
  end

  defp look_up(instance, key) do
    case :ets.lookup(Instance.process(instance, __MODULE__), key) do
      [{^key, value}] -> {:ok, value}
      [] -> :error
    end
  rescue
    ArgumentError -> :error
  end

  defp nodes(pids), do: pids |> Enum.map(&node/1) |> Enum.uniq() |> Enum.sort()
  defp table(state), do: Instance.process(state.instance, __MODULE__)
end
