defmodule SoulMem.Endpoint do
  @moduledoc false
  # Stands where `SoulMem.Daemon` stands for a connection: says where the daemon is, and when the test says so.

  use GenServer

  def start_link(ready), do: GenServer.start_link(__MODULE__, ready)

  def up(endpoint, ready), do: GenServer.call(endpoint, {:tell, {SoulMem.Daemon, :up, ready}})
  def down(endpoint), do: GenServer.call(endpoint, {:tell, {SoulMem.Daemon, :down, "it left"}})

  @impl true
  def init(ready), do: {:ok, {ready, []}}

  @impl true
  def handle_call({:watch, pid}, _from, {ready, watchers}) do
    {:reply, if(ready, do: {:up, ready}, else: :down), {ready, [pid | watchers]}}
  end

  def handle_call({:tell, message}, _from, {ready, watchers}) do
    Enum.each(watchers, &send(&1, message))
    {:reply, :ok, {ready, watchers}}
  end
end
