defmodule SoulMem.Notify do
  @moduledoc false
  # Tells systemd how this node is (`sd_notify`): READY once the daemon answers, a sign of life at half the watchdog's
  # time for as long as it does, STOPPING when it ends in order. A node whose daemon does not answer gives no sign: the
  # service manager restarts it when that has lasted.
  #
  # There is one where `NOTIFY_SOCKET` is set, the last child of the tree.

  use GenServer

  alias SoulMem.{Connection, Instance, Options, Request, Router}

  @enforce_keys [:instance, :socket, :address]
  defstruct [:instance, :socket, :address, :pause, ready: false]

  # Where systemd has no watchdog: how often to look whether the node is ready.
  @look 1_000

  @doc "Its child specification, where the environment of the service manager is there."
  @spec children(Instance.t(), %{optional(String.t()) => String.t()}) :: [{module(), keyword()}]
  def children(instance, env) do
    case env do
      %{"NOTIFY_SOCKET" => path} -> [{__MODULE__, instance: instance, path: path, watchdog_us: env["WATCHDOG_USEC"]}]
      %{} -> []
    end
  end

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options), do: GenServer.start_link(__MODULE__, options, name: __MODULE__)

  @doc "Says that this node is about to end."
  @spec stopping() :: :ok
  def stopping do
    if Process.whereis(__MODULE__), do: GenServer.call(__MODULE__, :stopping)
    :ok
  end

  @impl true
  def init(options) do
    {:ok, socket} = :gen_udp.open(0, [:local, :binary])

    state = %__MODULE__{
      instance: options[:instance],
      socket: socket,
      address: {:local, address(options[:path])},
      pause: pause(options[:watchdog_us])
    }

    {:ok, state, {:continue, :look}}
  end

  @impl true
  def handle_continue(:look, state), do: {:noreply, look(state)}

  @impl true
  def handle_call(:stopping, _from, state), do: {:reply, tell(state, "STOPPING=1"), state}

  @impl true
  def handle_info(:look, state), do: {:noreply, look(state)}
  def handle_info(_stray, state), do: {:noreply, state}

  # It waits for the answer, and has nothing else to do.
  defp look(state) do
    Process.send_after(self(), :look, state.pause)

    case {answers?(state), state.ready} do
      {true, false} ->
        tell(state, "READY=1\nSTATUS=serving as #{node()}")
        tell(state, "WATCHDOG=1")
        %{state | ready: true}

      {true, true} ->
        tell(state, "WATCHDOG=1")
        state

      {false, _ready} ->
        tell(state, "STATUS=the daemon does not answer")
        state
    end
  end

  defp answers?(state) do
    case Router.connection(state.instance) do
      {:ok, connection} -> pong?(connection, state.pause)
      {:error, reason} -> reason == :no_owner
    end
  end

  defp pong?(connection, timeout) do
    {:ok, ping} = Request.new("ping", nil, %{}, Options.call!(timeout: timeout))
    match?({:ok, _payload}, Connection.request(connection, ping))
  end

  defp tell(state, text) do
    case :gen_udp.send(state.socket, state.address, 0, text) do
      :ok -> :ok
      # Nobody listens any more: the service manager is being restarted, or goes.
      {:error, _reason} -> :ok
    end
  end

  # A name that begins with `@` is in the abstract namespace.
  defp address("@" <> name), do: <<0, name::binary>>
  defp address(path), do: path

  defp pause(nil), do: @look
  defp pause(microseconds), do: max(div(String.to_integer(microseconds), 2_000), 1)
end
