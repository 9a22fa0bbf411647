defmodule SoulMem.Daemon do
  @moduledoc false
  # Owns the daemon's operating system process: starts it, reads its ready line, notices its end, starts it
  # again, and stops it in good order.
  #
  # The restart is in here, with a jittered back-off, and not left to the supervisor: while a predecessor drains
  # and holds the data directory, or the disk is full, a start fails at once, and a supervisor would use up its
  # restarts within a second and take the node with it.
  #
  # The child's standard input is our pipe: when this VM dies by whatever means, the child reads end of file and
  # leaves. Its standard error is ours, untouched, for its logs.
  #
  # A watcher gets `{SoulMem.Daemon, :up, %SoulMem.ReadyLine{}}` and `{SoulMem.Daemon, :down, reason}`.

  use GenServer

  require Logger

  alias SoulMem.{Backoff, ReadyLine, Socket, Telemetry, Watchers}

  # The ready line is some 200 bytes; what is longer is not one.
  @longest_line 4_096
  @shutdown_answer_timeout 1_000
  @signal_timeout 1_000

  @enforce_keys [:options, :backoff]
  defstruct [
    :options,
    :backoff,
    :port,
    :os_pid,
    :ready,
    :ready_at,
    :timer,
    phase: :waiting,
    watchers: Watchers.new()
  ]

  @doc false
  def child_spec(options) do
    # Longer than every step of an orderly stop together.
    patience = options[:drain_timeout] + @shutdown_answer_timeout * 3 + @signal_timeout * 3
    %{id: __MODULE__, start: {__MODULE__, :start_link, [options]}, shutdown: patience}
  end

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    {name, options} = Keyword.pop(options, :name)
    GenServer.start_link(__MODULE__, options, if(name, do: [name: name], else: []))
  end

  @doc "Tells the calling process what happens from now on, and returns how it stands."
  @spec watch(GenServer.server()) :: {:up, ReadyLine.t()} | :down
  def watch(server), do: GenServer.call(server, {:watch, self()})

  @doc "The operating system's id of the running daemon."
  @spec os_pid(GenServer.server()) :: {:ok, pos_integer()} | :error
  def os_pid(server), do: GenServer.call(server, :os_pid)

  @impl true
  def init(options) do
    # Without this an exit of the supervisor would not run `terminate/2`, and the daemon would not be drained.
    Process.flag(:trap_exit, true)
    state = %__MODULE__{options: options, backoff: Backoff.new(options[:restart_backoff])}
    {:ok, state, {:continue, :start}}
  end

  @impl true
  def handle_continue(:start, state), do: {:noreply, start(state)}

  @impl true
  def handle_call({:watch, pid}, _from, state) do
    condition = if state.ready, do: {:up, state.ready}, else: :down
    {:reply, condition, %{state | watchers: Watchers.add(state.watchers, pid)}}
  end

  def handle_call(:os_pid, _from, %{os_pid: nil} = state), do: {:reply, :error, state}
  def handle_call(:os_pid, _from, state), do: {:reply, {:ok, state.os_pid}, state}

  @impl true
  def handle_info({port, {:data, {:eol, line}}}, %{port: port, phase: :starting} = state) do
    case ReadyLine.parse(line) do
      {:ok, ready} -> {:noreply, ready(state, ready)}
      {:error, reason} -> {:noreply, reject(state, reason)}
    end
  end

  def handle_info({port, {:data, {:noeol, _}}}, %{port: port, phase: :starting} = state) do
    {:noreply, reject(state, "its first line of output has no end")}
  end

  # After the ready line the protocol knows no output. It is read all the same: a pipe that nobody empties
  # would stop the daemon in the middle of a write.
  def handle_info({port, {:data, _}}, %{port: port} = state), do: {:noreply, state}

  def handle_info({port, {:exit_status, status}}, %{port: port} = state), do: {:noreply, exited(state, ended(status))}

  def handle_info({:not_ready, port}, %{port: port, phase: :starting} = state),
    do: {:noreply, reject(state, "it was not ready in time")}

  def handle_info({:kill, port}, %{port: port} = state), do: {:noreply, signal(state, "KILL")}
  def handle_info(:start, %{phase: :waiting} = state), do: {:noreply, start(state)}

  def handle_info({:DOWN, _monitor, :process, pid, _reason}, state) do
    {:noreply, %{state | watchers: Watchers.remove(state.watchers, pid)}}
  end

  # Timers and exits of a port that is no longer ours.
  def handle_info(_stale, state), do: {:noreply, state}

  @impl true
  def terminate(_reason, %{port: nil}), do: :ok

  def terminate(_reason, state) do
    ask_to_leave(state)

    patience = [
      {state.options[:drain_timeout], "TERM"},
      {@signal_timeout, "KILL"},
      {@signal_timeout, nil}
    ]

    await_exit(state, patience)
  end

  ## Start

  defp start(state) do
    port = open(state.options)
    {:os_pid, os_pid} = Port.info(port, :os_pid) || {:os_pid, nil}
    timer = Process.send_after(self(), {:not_ready, port}, state.options[:ready_timeout])
    %{state | port: port, os_pid: os_pid, phase: :starting, timer: timer}
  rescue
    error in ErlangError -> exited(state, "it could not be started (#{inspect(error.original)})")
  end

  defp open(options) do
    settings = [
      :binary,
      :exit_status,
      :use_stdio,
      {:line, @longest_line},
      {:args, args(options)},
      {:env, for({name, value} <- options[:daemon_env], do: {to_charlist(name), to_charlist(value)})}
    ]

    Port.open({:spawn_executable, Path.expand(options[:daemon_path])}, settings)
  end

  defp args(options) do
    data_dir = if dir = options[:data_dir], do: ["--data-dir", Path.expand(dir)], else: []
    ["serve", "--hosted"] ++ data_dir ++ options[:daemon_args]
  end

  defp ready(state, ready) do
    Process.cancel_timer(state.timer)
    Logger.info("soulmem daemon #{ready.version} is ready (pid #{ready.pid}, port #{ready.port})")
    Telemetry.execute([:daemon, :up], %{}, %{pid: ready.pid, version: ready.version})
    Watchers.tell(state.watchers, {__MODULE__, :up, ready})
    %{state | phase: :ready, ready: ready, ready_at: now(), timer: nil}
  end

  ## End

  # What starts wrongly is not one of ours, or broken: it is ended, and tried again like one that fell.
  defp reject(state, reason) do
    Logger.error("soulmem daemon at #{state.options[:daemon_path]} is stopped: #{reason}")
    Process.cancel_timer(state.timer)
    timer = Process.send_after(self(), {:kill, state.port}, state.options[:drain_timeout])
    signal(%{state | phase: :stopping, timer: timer}, "TERM")
  end

  defp exited(state, reason) do
    if state.timer, do: Process.cancel_timer(state.timer)
    {pause, backoff} = state |> settle() |> Backoff.next()
    Logger.warning("soulmem daemon is down: #{reason}; next start in #{pause} ms")
    Telemetry.execute([:daemon, :down], %{}, %{reason: reason})
    if state.ready, do: Watchers.tell(state.watchers, {__MODULE__, :down, reason})
    Process.send_after(self(), :start, pause)

    %{
      state
      | phase: :waiting,
        port: nil,
        os_pid: nil,
        ready: nil,
        ready_at: nil,
        timer: nil,
        backoff: backoff
    }
  end

  # Only a life of some length counts as a success; one that falls right after it was ready is slowed down too.
  defp settle(%{ready_at: nil, backoff: backoff}), do: backoff

  defp settle(%{ready_at: since, backoff: backoff, options: options}) do
    if now() - since >= options[:stable_after], do: Backoff.reset(backoff), else: backoff
  end

  defp ended(75), do: "another daemon holds its data directory (exit status 75)"
  defp ended(status) when status > 128, do: "it was ended by signal #{status - 128}"
  defp ended(status), do: "it left with exit status #{status}"

  # A request first: it works where signals do not reach (another user, a container) and tells when it was heard.
  defp ask_to_leave(%{ready: nil} = state), do: signal(state, "TERM")

  defp ask_to_leave(%{ready: ready} = state) do
    case Socket.shutdown(ready, @shutdown_answer_timeout) do
      :ok -> state
      {:error, _reason} -> signal(state, "TERM")
    end
  end

  defp await_exit(_state, []), do: Logger.error("soulmem daemon did not end, not even by SIGKILL")

  defp await_exit(%{port: port} = state, [{timeout, next_signal} | rest]) do
    receive do
      {^port, {:exit_status, status}} -> Logger.info("soulmem daemon stopped: #{ended(status)}")
    after
      timeout ->
        if next_signal, do: signal(state, next_signal)
        await_exit(state, rest)
    end
  end

  # The process is ours and not yet reaped (its exit status has not come), so the id cannot be another's by now.
  defp signal(%{os_pid: nil} = state, _name), do: state

  defp signal(%{os_pid: os_pid} = state, name) do
    System.cmd("/bin/sh", ["-c", "kill -#{name} #{os_pid}"], stderr_to_stdout: true)
    state
  end

  defp now, do: System.monotonic_time(:millisecond)
end
