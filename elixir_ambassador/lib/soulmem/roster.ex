defmodule SoulMem.Roster do
  @moduledoc false
  # Who depends on the daemon: child specifications and watchers, in order. It is the first child of the tree and
  # does nothing else, so that what applications registered outlives the processes that act on it.

  use GenServer

  alias SoulMem.Watchers

  @enforce_keys [:specs]
  defstruct [:specs, watchers: Watchers.new()]

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    specs = Enum.map(options[:dependents], &Supervisor.child_spec(&1, []))
    GenServer.start_link(__MODULE__, specs, name: options[:name])
  end

  @spec add(GenServer.server(), map()) :: :ok | {:error, :already_present}
  def add(server, spec), do: GenServer.call(server, {:add, spec})

  @spec remove(GenServer.server(), term()) :: :ok | {:error, :not_found}
  def remove(server, id), do: GenServer.call(server, {:remove, id})

  @spec specs(GenServer.server()) :: [map()]
  def specs(server), do: GenServer.call(server, :specs)

  @spec watch(GenServer.server(), pid()) :: :ok
  def watch(server, pid), do: GenServer.call(server, {:watch, pid})

  @spec unwatch(GenServer.server(), pid()) :: :ok
  def unwatch(server, pid), do: GenServer.call(server, {:unwatch, pid})

  @spec tell(GenServer.server(), term()) :: :ok
  def tell(server, message), do: GenServer.call(server, {:tell, message})

  @spec tell_reversed(GenServer.server(), term()) :: :ok
  def tell_reversed(server, message), do: GenServer.call(server, {:tell_reversed, message})

  @impl true
  def init(specs), do: {:ok, %__MODULE__{specs: specs}}

  @impl true
  def handle_call({:add, spec}, _from, state) do
    if find(state, spec.id),
      do: {:reply, {:error, :already_present}, state},
      else: {:reply, :ok, %{state | specs: state.specs ++ [spec]}}
  end

  def handle_call({:remove, id}, _from, state) do
    answer = if find(state, id), do: :ok, else: {:error, :not_found}
    {:reply, answer, %{state | specs: Enum.reject(state.specs, &(&1.id == id))}}
  end

  def handle_call(:specs, _from, state), do: {:reply, state.specs, state}

  def handle_call({:watch, pid}, _from, state) do
    {:reply, :ok, %{state | watchers: Watchers.add(state.watchers, pid)}}
  end

  def handle_call({:unwatch, pid}, _from, state) do
    {:reply, :ok, %{state | watchers: Watchers.remove(state.watchers, pid)}}
  end

  def handle_call({:tell, message}, _from, state), do: {:reply, Watchers.tell(state.watchers, message), state}

  def handle_call({:tell_reversed, message}, _from, state) do
    {:reply, Watchers.tell_reversed(state.watchers, message), state}
  end

  @impl true
  def handle_info({:DOWN, _monitor, :process, pid, _reason}, state) do
    {:noreply, %{state | watchers: Watchers.remove(state.watchers, pid)}}
  end

  defp find(state, id), do: Enum.find(state.specs, &(&1.id == id))
end
