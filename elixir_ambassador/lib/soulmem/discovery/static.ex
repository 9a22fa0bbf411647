defmodule SoulMem.Discovery.Static do
  @moduledoc false
  # Connects to one configured node, and again when it is lost. To connect to a machine that is off blocks for some
  # seconds, so each node has a process of its own that does it, with a back-off of its own.

  use GenServer

  alias SoulMem.Backoff

  @enforce_keys [:node, :backoff]
  defstruct [:node, :backoff]

  @doc false
  def child_spec(options), do: %{id: {__MODULE__, options[:node]}, start: {__MODULE__, :start_link, [options]}}

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options), do: GenServer.start_link(__MODULE__, options)

  @impl true
  def init(options) do
    :ok = :net_kernel.monitor_nodes(true)
    state = %__MODULE__{node: options[:node], backoff: Backoff.new(options[:backoff])}
    {:ok, state, {:continue, :connect}}
  end

  @impl true
  def handle_continue(:connect, state), do: {:noreply, connect(state)}

  @impl true
  def handle_info(:connect, state), do: {:noreply, connect(state)}

  def handle_info({:nodedown, node}, %{node: node} = state), do: {:noreply, connect_later(state)}
  def handle_info({:nodeup, node}, %{node: node} = state), do: {:noreply, connected(state)}
  def handle_info(_other_node, state), do: {:noreply, state}

  defp connect(state) do
    if state.node in Node.list() or Node.connect(state.node) == true,
      do: connected(state),
      else: connect_later(state)
  end

  defp connected(state), do: %{state | backoff: Backoff.reset(state.backoff)}

  defp connect_later(state) do
    {pause, backoff} = Backoff.next(state.backoff)
    Process.send_after(self(), :connect, pause)
    %{state | backoff: backoff}
  end
end
