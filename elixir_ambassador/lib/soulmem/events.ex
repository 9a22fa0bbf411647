defmodule SoulMem.Events do
  @moduledoc false
  # Who on this node wants to be told what happens to which character. The daemon knows one subscriber, the
  # connection; what it tells is spread here, to each process what it asked for.
  #
  # A subscription of the wire ends with its connection. When a new one is up, every character that still has
  # subscribers is subscribed again, and then they are told `owner_back`: whatever happened between `owner_lost`
  # and that was told to nobody.

  use GenServer

  require Logger

  alias SoulMem.{Connection, Error, Instance, Options, Router}

  # What a subscriber is told whatever it asked for: without it, silence and a gap would look the same.
  @always ["owner_lost", "owner_back", "lagged"]

  @resubscribe_options [timeout: 10_000, retries: 5]

  @enforce_keys [:instance]
  defstruct [:instance, subscribers: %{}]

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    instance = Keyword.fetch!(options, :instance)
    GenServer.start_link(__MODULE__, instance, name: Instance.process(instance, __MODULE__))
  end

  @doc "Adds the calling process, and has the daemon tell what it wants."
  @spec subscribe(String.t(), [String.t()], keyword()) :: :ok | {:error, Error.t()}
  def subscribe(soul, events, options) do
    with {:ok, server} <- server(options),
         wanted = GenServer.call(server, {:add, self(), soul, events}),
         {:error, error} <- Router.call("subscribe", soul, %{events: wanted}, options) do
      GenServer.call(server, {:remove, self(), soul})
      {:error, error}
    else
      {:ok, _payload} -> :ok
      {:error, error} -> {:error, error}
    end
  end

  @doc "Removes the calling process, and has the daemon tell no more than what others here want."
  @spec unsubscribe(String.t(), keyword()) :: :ok | {:error, Error.t()}
  def unsubscribe(soul, options) do
    with {:ok, server} <- server(options),
         [_ | _] = unwanted <- GenServer.call(server, {:remove, self(), soul}),
         {:ok, _payload} <- Router.call("unsubscribe", soul, %{events: unwanted}, options) do
      :ok
    else
      [] -> :ok
      {:error, error} -> {:error, error}
    end
  end

  defp server(options) do
    instance = Options.call!(options)[:instance]

    case Router.connection(instance) do
      {:ok, _connection} -> {:ok, Instance.process(instance, __MODULE__)}
      {:error, reason} -> {:error, Error.new(reason)}
    end
  end

  @impl true
  def init(instance) do
    Connection.watch(Instance.process(instance, Connection))
    {:ok, %__MODULE__{instance: instance}}
  end

  @impl true
  def handle_call({:add, pid, soul, events}, _from, state) do
    {monitor, souls} = state.subscribers[pid] || {Process.monitor(pid), %{}}
    souls = Map.update(souls, soul, events, &Enum.uniq(&1 ++ events))
    state = put_in(state.subscribers[pid], {monitor, souls})
    {:reply, wanted(state, soul), state}
  end

  def handle_call({:remove, pid, soul}, _from, state) do
    before = wanted(state, soul)
    state = drop(state, pid, soul)
    {:reply, before -- wanted(state, soul), state}
  end

  @impl true
  def handle_info({Connection, :event, event}, state) do
    tell(state, event[:soul], event.op, event.payload)
    {:noreply, state}
  end

  def handle_info({Connection, :down, reason}, state) do
    tell(state, nil, "owner_lost", %{"reason" => reason})
    {:noreply, state}
  end

  def handle_info({Connection, :up, _hello}, state) do
    Enum.each(souls(state), &resubscribe(state, &1))
    {:noreply, state}
  end

  def handle_info({:resubscribed, soul}, state) do
    tell(state, soul, "owner_back", %{})
    {:noreply, state}
  end

  def handle_info({:DOWN, _monitor, :process, pid, _reason}, state) do
    {{_monitor, souls}, subscribers} = Map.pop!(state.subscribers, pid)
    left = %{state | subscribers: subscribers}
    for {soul, events} <- souls, do: unsubscribe(left, soul, events -- wanted(left, soul))
    {:noreply, left}
  end

  defp drop(state, pid, soul) do
    case state.subscribers do
      %{^pid => {monitor, souls}} when map_size(souls) == 1 and is_map_key(souls, soul) ->
        Process.demonitor(monitor, [:flush])
        %{state | subscribers: Map.delete(state.subscribers, pid)}

      %{^pid => {monitor, souls}} ->
        put_in(state.subscribers[pid], {monitor, Map.delete(souls, soul)})

      %{} ->
        state
    end
  end

  # An event without a character, or about all of them, goes to every subscriber, once for each of its characters.
  defp tell(state, soul, event, payload) do
    for {pid, {_monitor, souls}} <- state.subscribers,
        {name, events} <- souls,
        soul in [nil, name],
        event in @always or event in events,
        do: send(pid, {:soulmem, %{event: event, soul: name, payload: payload}})
  end

  defp souls(state) do
    for({_pid, {_monitor, souls}} <- state.subscribers, {soul, _events} <- souls, do: soul)
    |> Enum.uniq()
    |> Enum.sort()
  end

  defp wanted(state, soul) do
    for({_pid, {_monitor, souls}} <- state.subscribers, event <- souls[soul] || [], do: event)
    |> Enum.uniq()
    |> Enum.sort()
  end

  # This process never waits for the daemon: a task does.
  defp resubscribe(state, soul) do
    events = self()

    in_task(state, fn ->
      options = [instance: state.instance] ++ @resubscribe_options

      case Router.call("subscribe", soul, %{"events" => wanted(state, soul)}, options) do
        {:ok, _payload} -> send(events, {:resubscribed, soul})
        {:error, error} -> Logger.warning("subscription not renewed: #{Exception.message(error)}")
      end
    end)
  end

  defp unsubscribe(_state, _soul, []), do: :ok

  # Should this fail, events come that nobody wants: they are told to nobody.
  defp unsubscribe(state, soul, events) do
    in_task(state, fn ->
      Router.call("unsubscribe", soul, %{"events" => events}, instance: state.instance)
    end)
  end

  defp in_task(state, work), do: Task.Supervisor.start_child(Instance.process(state.instance, SoulMem.Relay), work)
end
