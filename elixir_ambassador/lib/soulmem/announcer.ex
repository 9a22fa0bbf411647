defmodule SoulMem.Announcer do
  @moduledoc false
  # Tells the cluster which characters this node's daemon owns, by joining their groups. It stays joined while the
  # daemon is being restarted: who asks then is told `daemon_down` by the one who knows, not that nobody has it.
  #
  # What is made by way of this node is announced at once; what the command line makes, at the next look. A copy that
  # arrives or was restored is not announced: `SoulMem.Ownership` is told of it.

  use GenServer

  alias SoulMem.{Connection, Instance, Membership, Options, Ownership, Request, Router}

  @enforce_keys [:instance, :interval]
  defstruct [:instance, :interval, souls: MapSet.new()]

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    name = options |> Keyword.fetch!(:instance) |> Instance.process(__MODULE__)
    GenServer.start_link(__MODULE__, options, name: name)
  end

  @doc "A character has been made here, or has gone. Returns when that is announced."
  @spec changed(Instance.t(), :made | :gone, String.t()) :: :ok
  def changed(instance, how, soul) do
    GenServer.call(Instance.process(instance, __MODULE__), {how, soul})
  catch
    # It is being started anew, and looks for itself.
    :exit, _gone -> :ok
  end

  @doc "Has it look now."
  @spec look(Instance.t()) :: :ok
  def look(instance), do: GenServer.cast(Instance.process(instance, __MODULE__), :look)

  @impl true
  def init(options) do
    state = %__MODULE__{instance: options[:instance], interval: options[:announce_interval]}
    Process.send_after(self(), :look, state.interval)

    case Connection.watch(Instance.process(state.instance, Connection)) do
      {:up, hello} -> {:ok, announce(state, hello["souls"])}
      :down -> {:ok, state}
    end
  end

  @impl true
  def handle_cast(:look, state), do: {:noreply, look_now(state)}

  @impl true
  def handle_call({:made, soul}, _from, state), do: {:reply, :ok, announce(state, [soul | MapSet.to_list(state.souls)])}

  def handle_call({:gone, soul}, _from, state) do
    {:reply, :ok, announce(state, state.souls |> MapSet.delete(soul) |> MapSet.to_list())}
  end

  @impl true
  def handle_info({Connection, :up, hello}, state), do: {:noreply, announce(state, hello["souls"])}

  def handle_info(:look, state) do
    Process.send_after(self(), :look, state.interval)
    {:noreply, look_now(state)}
  end

  def handle_info(_event, state), do: {:noreply, state}

  defp look_now(state) do
    with {:ok, request} <- Request.new("soul.list", nil, %{}, Options.call!(timeout: state.interval)),
         {:ok, %{"souls" => souls}} <- Router.local(request, state.instance) do
      found = Enum.group_by(souls, &what(&1["ownership"]), & &1["soul"])

      for what <- [:arriving, :restored],
          soul <- found[what] || [],
          do: Ownership.look_after(state.instance, soul, what)

      announce(state, found[:here] || [])
    else
      {:error, _error} -> state
    end
  end

  # Not here where it was handed over.
  defp what(%{"restored" => true}), do: :restored
  defp what(%{"state" => "arriving"}), do: :arriving
  defp what(%{"state" => "handed_over"}), do: :elsewhere
  defp what(_owner), do: :here

  defp announce(state, souls) when is_list(souls) do
    souls = MapSet.new(souls)
    each_group(state.souls, souls, &:pg.leave(Membership.scope(state.instance), &1, self()))
    each_group(souls, state.souls, &:pg.join(Membership.scope(state.instance), &1, self()))
    %{state | souls: souls}
  end

  # A daemon that does not say what it has.
  defp announce(state, _unknown), do: state

  defp each_group(souls, without, act) do
    for soul <- MapSet.difference(souls, without), do: act.({:soul, soul})
  end
end
