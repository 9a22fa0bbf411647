defmodule SoulMem.InFlight do
  @moduledoc false
  # What a connection has asked and not yet heard, by `msg_id`. Ids only grow, so the smallest is the oldest.

  @enforce_keys [:next_id]
  defstruct [:next_id, entries: %{}]

  @opaque t() :: %__MODULE__{
            next_id: pos_integer(),
            entries: %{optional(pos_integer()) => {entry :: term(), since :: integer()}}
          }

  @doc "Nothing in flight. Id 0 is `hello`'s."
  @spec new() :: t()
  def new, do: %__MODULE__{next_id: 1}

  @spec size(t()) :: non_neg_integer()
  def size(%__MODULE__{entries: entries}), do: map_size(entries)

  @spec add(t(), term(), integer()) :: {pos_integer(), t()}
  def add(%__MODULE__{} = in_flight, entry, now) do
    {msg_id, in_flight} = reserve_id(in_flight)
    {msg_id, put_in(in_flight.entries[msg_id], {entry, now})}
  end

  @spec reserve_id(t()) :: {pos_integer(), t()}
  def reserve_id(%__MODULE__{next_id: msg_id} = in_flight), do: {msg_id, %{in_flight | next_id: msg_id + 1}}

  @spec take(t(), non_neg_integer()) :: {term(), t()} | nil
  def take(%__MODULE__{entries: entries} = in_flight, msg_id) do
    case Map.pop(entries, msg_id) do
      {{entry, _since}, entries} -> {entry, %{in_flight | entries: entries}}
      {nil, _entries} -> nil
    end
  end

  @doc "Nothing in flight any more; ids go on from where they were, so that no old timer meets a new request."
  @spec clear(t()) :: t()
  def clear(%__MODULE__{} = in_flight), do: %{in_flight | entries: %{}}

  @doc "Every entry, oldest first."
  @spec all(t()) :: [term()]
  def all(%__MODULE__{entries: entries}) do
    for {_msg_id, {entry, _since}} <- Enum.sort(entries), do: entry
  end

  @doc "How long the oldest has been waiting; 0 when there is none."
  @spec oldest_age(t(), integer()) :: non_neg_integer()
  def oldest_age(%__MODULE__{entries: entries}, _now) when map_size(entries) == 0, do: 0

  def oldest_age(%__MODULE__{entries: entries}, now) do
    {_msg_id, {_entry, since}} = Enum.min(entries)
    now - since
  end
end
