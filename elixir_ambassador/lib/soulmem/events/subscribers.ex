defmodule SoulMem.Events.Subscribers do
  @moduledoc false
  # The subscribers of one node, and how they are told without ever waiting for one. A process whose mailbox is full of
  # what it has not read, and a node behind a congested link, miss events instead; the next that they are told is
  # `lagged`, with how many they missed.

  alias SoulMem.{Ambassador, Instance, Remote}

  # What a subscriber is told whatever it asked for: without it, silence and a gap would look the same.
  @always ["owner_lost", "owner_back", "lagged"]

  # A process that has so much to read is not told more.
  @mailbox_limit 1_000

  defmodule Subscriber do
    @moduledoc false
    # `souls` has the events wanted of each; `missed` how many of each were not told.
    @enforce_keys [:monitor]
    defstruct [:monitor, :instance, souls: %{}, missed: %{}]
  end

  @typedoc "A process of this node, or another node."
  @type who() :: pid() | node()
  @opaque t() :: %{optional(who()) => %Subscriber{}}

  @spec new() :: t()
  def new, do: %{}

  @spec add(t(), who(), String.t(), [String.t()]) :: t()
  def add(subscribers, who, soul, events) do
    subscriber = subscribers[who] || %Subscriber{monitor: if(is_pid(who), do: Process.monitor(who))}
    souls = Map.update(subscriber.souls, soul, events, &Enum.uniq(&1 ++ events))
    Map.put(subscribers, who, %{subscriber | souls: souls})
  end

  @spec remove(t(), who(), String.t()) :: t()
  def remove(subscribers, who, soul), do: update_souls(subscribers, who, &Map.delete(&1, soul))

  @doc "Fewer events of a character; all of them gone is the subscription gone."
  @spec remove(t(), who(), String.t(), [String.t()]) :: t()
  def remove(subscribers, who, soul, events) do
    update_souls(subscribers, who, fn souls ->
      case Map.get(souls, soul, []) -- events do
        [] -> Map.delete(souls, soul)
        left -> Map.put(souls, soul, left)
      end
    end)
  end

  @spec remove_all(t(), who()) :: t()
  def remove_all(subscribers, who), do: update_souls(subscribers, who, fn _souls -> %{} end)

  @spec souls(t()) :: [String.t()]
  def souls(subscribers) do
    for({_who, subscriber} <- subscribers, {soul, _events} <- subscriber.souls, do: soul) |> Enum.uniq() |> Enum.sort()
  end

  @doc "What anyone wants of a character."
  @spec wanted(t(), String.t()) :: [String.t()]
  def wanted(subscribers, soul) do
    for({_who, subscriber} <- subscribers, event <- subscriber.souls[soul] || [], do: event)
    |> Enum.uniq()
    |> Enum.sort()
  end

  @spec tell(t(), String.t(), String.t(), map(), Instance.t()) :: t()
  def tell(subscribers, soul, event, payload, instance) do
    for {who, %Subscriber{souls: %{^soul => events}} = subscriber} <- subscribers,
        event in @always or event in events,
        into: subscribers,
        do: {who, deliver(%{subscriber | instance: instance}, who, soul, event, payload)}
  end

  @doc "Whether there is one that does not know yet that it missed something."
  @spec behind?(t()) :: boolean()
  def behind?(subscribers), do: Enum.any?(subscribers, fn {_who, subscriber} -> subscriber.missed != %{} end)

  @doc "Tells those who missed something, where they read again."
  @spec flush(t()) :: t()
  def flush(subscribers) do
    Map.new(subscribers, fn {who, subscriber} ->
      souls = Map.keys(subscriber.missed)
      {who, Enum.reduce(souls, subscriber, fn soul, subscriber -> subscriber |> catch_up(who, soul) |> elem(1) end)}
    end)
  end

  defp deliver(subscriber, who, soul, event, payload) do
    with {:ok, subscriber} <- catch_up(subscriber, who, soul),
         :ok <- send_to(who, soul, event, payload, subscriber.instance) do
      subscriber
    else
      {:behind, subscriber} -> missed(subscriber, soul)
      :full -> missed(subscriber, soul)
    end
  end

  defp catch_up(%{missed: missed} = subscriber, who, soul) when is_map_key(missed, soul) do
    case send_to(who, soul, "lagged", %{"dropped" => missed[soul]}, subscriber.instance) do
      :ok -> {:ok, %{subscriber | missed: Map.delete(missed, soul)}}
      :full -> {:behind, subscriber}
    end
  end

  defp catch_up(subscriber, _who, _soul), do: {:ok, subscriber}

  defp missed(subscriber, soul), do: %{subscriber | missed: Map.update(subscriber.missed, soul, 1, &(&1 + 1))}

  defp send_to(pid, soul, event, payload, _instance) when is_pid(pid) do
    case Process.info(pid, :message_queue_len) do
      {:message_queue_len, unread} when unread >= @mailbox_limit ->
        :full

      _reading_or_gone ->
        send(pid, {:soulmem, %{event: event, soul: soul, payload: payload}})
        :ok
    end
  end

  defp send_to(node, soul, event, payload, instance) do
    message = %{v: 1, event: event, soul: soul, payload: payload}

    case Remote.send_now({Instance.process(instance, Ambassador), node}, message) do
      :nosuspend -> :full
      _sent_or_gone -> :ok
    end
  end

  defp update_souls(subscribers, who, update) do
    case subscribers do
      %{^who => subscriber} ->
        souls = update.(subscriber.souls)
        missed = Map.take(subscriber.missed, Map.keys(souls))
        put_or_drop(subscribers, who, %{subscriber | souls: souls, missed: missed})

      %{} ->
        subscribers
    end
  end

  defp put_or_drop(subscribers, who, %{souls: souls} = subscriber) when souls == %{} do
    if subscriber.monitor, do: Process.demonitor(subscriber.monitor, [:flush])
    Map.delete(subscribers, who)
  end

  defp put_or_drop(subscribers, who, subscriber), do: Map.put(subscribers, who, subscriber)
end
