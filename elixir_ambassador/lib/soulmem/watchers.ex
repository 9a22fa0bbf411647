defmodule SoulMem.Watchers do
  @moduledoc false
  # Processes that a server tells what happens to it, in the order in which they came. Each is monitored, so
  # that one which dies is forgotten.

  @opaque t() :: [{pid(), reference()}]

  @spec new() :: t()
  def new, do: []

  @spec add(t(), pid()) :: t()
  def add(watchers, pid) do
    if List.keymember?(watchers, pid, 0),
      do: watchers,
      else: watchers ++ [{pid, Process.monitor(pid)}]
  end

  @spec remove(t(), pid()) :: t()
  def remove(watchers, pid) do
    case List.keytake(watchers, pid, 0) do
      {{^pid, monitor}, rest} ->
        Process.demonitor(monitor, [:flush])
        rest

      nil ->
        watchers
    end
  end

  @spec tell(t(), term()) :: :ok
  def tell(watchers, message), do: Enum.each(watchers, fn {pid, _monitor} -> send(pid, message) end)

  @doc "The last that came is told first."
  @spec tell_reversed(t(), term()) :: :ok
  def tell_reversed(watchers, message), do: watchers |> Enum.reverse() |> tell(message)
end
