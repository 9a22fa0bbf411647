defmodule SoulMem.Events do
  @moduledoc false
  # Who wants to be told what happens to which character. A subscriber is a process of this node, or another node for
  # all of its own: each node has a character's events sent to it once, and spreads them there.
  #
  # Where they come from is the owner: this node's daemon, which knows one subscriber, its connection; or the
  # ambassador of another node. When the owner is lost every subscriber of its characters is told so; when it is back
  # they are subscribed again and then told `owner_back`: what happened in between was told to nobody.

  use GenServer

  require Logger

  alias SoulMem.Events.Subscribers
  alias SoulMem.{Connection, Error, Instance, Membership, MessagePack, Options, Request, Router}

  @resubscribe_options [timeout: 10_000, retries: 5]
  @resubscribe_pause 5_000
  @flush_pause 200

  @enforce_keys [:instance]
  defstruct [:instance, subscribers: Subscribers.new(), away: MapSet.new(), flushing: false]

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    instance = Keyword.fetch!(options, :instance)
    GenServer.start_link(__MODULE__, options, name: Instance.process(instance, __MODULE__))
  end

  @doc "Adds the calling process, and has the owner tell what it wants."
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

  @doc "Removes the calling process, and has the owner tell no more than what others here want."
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

  @doc "The same for another node, which asked by way of the ambassador."
  @spec serve(Request.t(), node(), Instance.t()) :: {:ok, map()} | {:error, Error.t()}
  def serve(%Request{soul: soul} = request, node, instance) when is_binary(soul) do
    server = Instance.process(instance, __MODULE__)

    with {:ok, %{"events" => events}} when is_list(events) <- MessagePack.unpack(request.payload) do
      case {request.op, node} do
        {_op, here} when here == node() -> Router.local(request, instance)
        {"subscribe", _node} -> serve_more(request, {:add, node, soul, events}, server, instance)
        {"unsubscribe", _node} -> serve_less(request, {:remove, node, soul, events}, server, instance)
      end
    else
      _unreadable -> {:error, Error.new(:invalid_argument, op: request.op, soul: soul, detail: "events must be a list")}
    end
  end

  def serve(request, _node, _instance),
    do: {:error, Error.new(:invalid_argument, op: request.op, detail: "a subscription is to a character")}

  defp serve_more(request, message, server, instance) do
    wanted = GenServer.call(server, message)
    Router.local(with_events(request, wanted), instance)
  end

  defp serve_less(request, message, server, instance) do
    case GenServer.call(server, message) do
      [] -> {:ok, %{}}
      unwanted -> Router.local(with_events(request, unwanted), instance)
    end
  end

  defp with_events(request, events) do
    {:ok, payload} = MessagePack.pack(%{"events" => events})
    %{request | payload: payload}
  end

  defp server(options) do
    instance = Options.call!(options)[:instance]

    case Instance.role(instance) do
      {:ok, _role} -> {:ok, Instance.process(instance, __MODULE__)}
      :error -> {:error, Error.new(:not_started)}
    end
  end

  @impl true
  def init(options) do
    instance = options[:instance]
    :ok = :net_kernel.monitor_nodes(true)
    :ok = Membership.watch(instance)
    if options[:role] == :daemon, do: Connection.watch(Instance.process(instance, Connection))
    {:ok, %__MODULE__{instance: instance}}
  end

  @impl true
  def handle_call({:add, who, soul, events}, _from, state) do
    state = %{state | subscribers: Subscribers.add(state.subscribers, who, soul, events)}
    {:reply, Subscribers.wanted(state.subscribers, soul), state}
  end

  def handle_call({:remove, who, soul}, _from, state) do
    {unwanted, state} = less(state, soul, &Subscribers.remove(&1, who, soul))
    {:reply, unwanted, state}
  end

  def handle_call({:remove, who, soul, events}, _from, state) do
    {unwanted, state} = less(state, soul, &Subscribers.remove(&1, who, soul, events))
    {:reply, unwanted, state}
  end

  @impl true
  def handle_info({Connection, :event, event}, state) do
    souls = if soul = event[:soul], do: [soul], else: served_here(state)
    {:noreply, tell(state, souls, event.op, event.payload)}
  end

  # Another owner's event of a character that nobody here wants any more is told to nobody.
  def handle_info({:from_owner, soul, event, payload}, state), do: {:noreply, tell(state, [soul], event, payload)}

  def handle_info({Connection, :down, reason}, state) do
    {:noreply, lost(state, served_here(state), %{"reason" => reason})}
  end

  def handle_info({Connection, :up, _hello}, state) do
    Enum.each(served_here(state), &resubscribe(state, &1))
    {:noreply, state}
  end

  def handle_info({Membership, :lost, soul, node}, state) do
    gone = %{"node" => Atom.to_string(node), "reason" => "its node cannot be reached or no longer owns it"}
    {:noreply, lost(state, Enum.filter([soul], &subscribed?(state, &1)), gone)}
  end

  def handle_info({Membership, :found, soul, _node}, state) do
    if soul in state.away, do: resubscribe(state, soul)
    {:noreply, state}
  end

  def handle_info({:resubscribe, soul}, state) do
    if soul in state.away and subscribed?(state, soul), do: resubscribe(state, soul)
    {:noreply, state}
  end

  def handle_info({:resubscribed, soul}, state) do
    back = Enum.filter([soul], &(&1 in state.away))
    {:noreply, tell(%{state | away: MapSet.delete(state.away, soul)}, back, "owner_back", %{})}
  end

  def handle_info({:not_resubscribed, soul, error}, state) do
    Logger.warning("subscription not renewed: #{Exception.message(error)}")
    if soul in state.away, do: Process.send_after(self(), {:resubscribe, soul}, @resubscribe_pause)
    {:noreply, state}
  end

  def handle_info({:nodedown, node}, state), do: {:noreply, forget(state, node)}
  def handle_info({:DOWN, _monitor, :process, pid, _reason}, state), do: {:noreply, forget(state, pid)}

  def handle_info(:flush, state) do
    {:noreply, flush_later(%{state | subscribers: Subscribers.flush(state.subscribers), flushing: false})}
  end

  def handle_info(_nodeup, state), do: {:noreply, state}

  defp lost(state, souls, payload) do
    new = Enum.reject(souls, &(&1 in state.away))
    tell(%{state | away: MapSet.union(state.away, MapSet.new(new))}, new, "owner_lost", payload)
  end

  defp tell(state, souls, event, payload) do
    subscribers = Enum.reduce(souls, state.subscribers, &Subscribers.tell(&2, &1, event, payload, state.instance))
    flush_later(%{state | subscribers: subscribers})
  end

  # Whoever was too slow hears that it missed something even if nothing more happens.
  defp flush_later(%{flushing: false} = state) do
    if Subscribers.behind?(state.subscribers) do
      Process.send_after(self(), :flush, @flush_pause)
      %{state | flushing: true}
    else
      state
    end
  end

  defp flush_later(state), do: state

  defp forget(state, who) do
    souls = Subscribers.souls(state.subscribers)
    after_it = %{state | subscribers: Subscribers.remove_all(state.subscribers, who)}

    for soul <- souls do
      unwanted = Subscribers.wanted(state.subscribers, soul) -- Subscribers.wanted(after_it.subscribers, soul)
      unsubscribe_later(after_it, soul, unwanted)
    end

    after_it
  end

  defp less(state, soul, remove) do
    subscribers = remove.(state.subscribers)
    unwanted = Subscribers.wanted(state.subscribers, soul) -- Subscribers.wanted(subscribers, soul)
    {unwanted, %{state | subscribers: subscribers}}
  end

  defp subscribed?(state, soul), do: Subscribers.wanted(state.subscribers, soul) != []

  defp served_here(state) do
    for soul <- Subscribers.souls(state.subscribers), {:ok, node()} == Router.owner(state.instance, soul), do: soul
  end

  # This process never waits for the owner: a task does.
  defp resubscribe(state, soul) do
    events = self()
    wanted = Subscribers.wanted(state.subscribers, soul)

    in_task(state, fn ->
      case Router.call("subscribe", soul, %{"events" => wanted}, [instance: state.instance] ++ @resubscribe_options) do
        {:ok, _payload} -> send(events, {:resubscribed, soul})
        {:error, error} -> send(events, {:not_resubscribed, soul, error})
      end
    end)
  end

  defp unsubscribe_later(_state, _soul, []), do: :ok

  # Should this fail, events come that nobody wants: they are told to nobody.
  defp unsubscribe_later(state, soul, events) do
    in_task(state, fn ->
      Router.call("unsubscribe", soul, %{"events" => events}, instance: state.instance)
    end)
  end

  defp in_task(state, work), do: Task.Supervisor.start_child(Instance.process(state.instance, SoulMem.Relay), work)
end
