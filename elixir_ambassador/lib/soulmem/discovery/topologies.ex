defmodule SoulMem.Discovery.Topologies do
  @moduledoc false
  # Runs libcluster's topologies, where an embedding application or the `lan_node` release brings libcluster along, and
  # guards against what was seen to go wrong with version 3.5:
  #
  #   - gossip that starts before the interface has an address stays deaf for ever: it is started once there is one,
  #     and anew whenever the addresses of this machine change;
  #   - without a `secret` two dozen stray packets end its process, its supervisor and then the whole node: a topology
  #     without one is refused, and however often libcluster falls, it is only started again, with a back-off;
  #   - the Epmd strategy never connects again with its default timeout: it gets one that does.

  use GenServer

  require Logger

  alias SoulMem.Backoff

  @gossip Cluster.Strategy.Gossip
  @epmd Cluster.Strategy.Epmd
  @supervisor Cluster.Supervisor

  @epmd_timeout 2_000

  @enforce_keys [:topologies, :start, :addresses_now, :interval, :backoff]
  defstruct [:topologies, :start, :addresses_now, :interval, :backoff, :running, addresses: []]

  @doc "A child where there are topologies and libcluster is loaded. Raises `ArgumentError` over one that is not safe."
  @spec children(keyword()) :: [{module(), keyword()}]
  def children(options) do
    topologies = Enum.map(options[:topologies], &checked!/1)

    cond do
      topologies == [] -> []
      Code.ensure_loaded?(@supervisor) -> [{__MODULE__, topologies: topologies}]
      true -> left_out()
    end
  end

  @doc "`:start` and `:addresses` stand for libcluster and for the machine, for tests."
  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options), do: GenServer.start_link(__MODULE__, options)

  @doc "The topology as it is safe to start, or `ArgumentError`."
  @spec checked!({atom(), keyword()}) :: {atom(), keyword()}
  def checked!({name, topology}) do
    case Keyword.fetch!(topology, :strategy) do
      @gossip ->
        {name, secret!(name, topology)}

      @epmd ->
        {name,
         Keyword.update(topology, :config, [timeout: @epmd_timeout], &Keyword.put_new(&1, :timeout, @epmd_timeout))}

      _other ->
        {name, topology}
    end
  end

  defp secret!(name, topology) do
    secret = topology[:config][:secret]

    if is_binary(secret) and secret != "" do
      topology
    else
      raise ArgumentError,
            "topology #{inspect(name)}: gossip needs a `secret` in its `config`, the same on every machine: without one " <>
              "any stray packet of the network can end it"
    end
  end

  defp left_out do
    Logger.warning("libcluster is not loaded: its topologies are left out, and `nodes` is what this node connects to")
    []
  end

  @impl true
  def init(options) do
    Process.flag(:trap_exit, true)

    state = %__MODULE__{
      topologies: options[:topologies],
      start: options[:start] || (&start_libcluster/1),
      addresses_now: options[:addresses] || (&addresses/0),
      interval: options[:interval] || 2_000,
      backoff: Backoff.new(min: 500, max: 30_000)
    }

    {:ok, state, {:continue, :look}}
  end

  @impl true
  def handle_continue(:look, state), do: {:noreply, look(state)}

  @impl true
  def handle_info(:look, state), do: {:noreply, look(state)}

  def handle_info({:EXIT, running, reason}, %{running: running} = state) do
    {pause, backoff} = Backoff.next(state.backoff)
    Logger.warning("libcluster fell (#{Exception.format_exit(reason)}); again in #{pause} ms")
    Process.send_after(self(), :start, pause)
    {:noreply, %{state | running: nil, backoff: backoff}}
  end

  def handle_info(:start, state), do: {:noreply, start(state)}

  # The end of one that was stopped.
  def handle_info({:EXIT, _stopped, _reason}, state), do: {:noreply, state}

  @impl true
  def terminate(_reason, state), do: stop(state)

  defp look(state) do
    Process.send_after(self(), :look, state.interval)

    case state.addresses_now.() do
      same when same == state.addresses -> state
      [] -> %{stop(state) | addresses: []}
      new -> start(%{stop(state) | addresses: new, backoff: Backoff.reset(state.backoff)})
    end
  end

  defp start(%{running: nil, addresses: [_ | _]} = state) do
    case state.start.(state.topologies) do
      {:ok, running} ->
        %{state | running: running}

      {:error, reason} ->
        {pause, backoff} = Backoff.next(state.backoff)
        Logger.warning("libcluster does not start (#{inspect(reason)}); again in #{pause} ms")
        Process.send_after(self(), :start, pause)
        %{state | backoff: backoff}
    end
  end

  defp start(state), do: state

  defp stop(%{running: nil} = state), do: state

  defp stop(state) do
    Process.unlink(state.running)
    Supervisor.stop(state.running)
    %{state | running: nil}
  end

  # Not a plain call: there may be no such module when this is compiled.
  defp start_libcluster(topologies), do: apply(@supervisor, :start_link, [[topologies, []]])

  # What other machines could send to.
  defp addresses do
    with {:ok, interfaces} <- :inet.getifaddrs() do
      Enum.sort(
        for {_name, about} <- interfaces, {:addr, {a, _, _, _} = address} <- about, a not in [127, 169], do: address
      )
    else
      {:error, _reason} -> []
    end
  end
end
