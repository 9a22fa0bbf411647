defmodule SoulMem.Dependents do
  @moduledoc """
  What stands behind the daemon: processes of an embedding application that are of no use, or wrong, while it is
  away - the process that leads a character's conversation, for example.

  *Children* are started here, in the order in which they were added, once the daemon answers. When it goes they
  are stopped in the reverse order; when it is back they are started again in order. Among themselves they are
  supervised `:rest_for_one`: one that fails takes those added after it down and up with it.

      SoulMem.Dependents.add({MyApp.Conversation, soul: "xiaohong"})

  Children that always exist can stand in the configuration instead: `config :soulmem, dependents: [MyApp.Conversation]`.

  *Watchers* are processes that live elsewhere and want to know. They are told
  `{SoulMem.Dependents, :down}`, the last that came first and before any child is stopped, and
  `{SoulMem.Dependents, :up}`, in order and after the children run again.

  A child that does not start, or falls too often, is tried again with a back-off; it never takes the
  connection to the daemon down with it.

  All functions take the name of the instance as their last argument, `SoulMem` by default. A node with
  `role: :relay` has no daemon and no dependents: there they exit with `:noproc`.
  """

  use GenServer

  require Logger

  alias SoulMem.{Backoff, Connection, Instance, Roster}

  @enforce_keys [:instance, :backoff, :condition]
  defstruct [:instance, :backoff, :condition, :supervisor]

  @start_backoff [min: 100, max: 10_000]

  @doc """
  Adds a child; it runs from now on whenever the daemon does. The id of its specification must be new.

  If the daemon is up the child is started before this returns, and not added if that fails.
  """
  @spec add(Supervisor.child_spec() | {module(), term()} | module(), Instance.t()) ::
          :ok | {:error, term()}
  def add(child, instance \\ SoulMem) do
    GenServer.call(server(instance), {:add, Supervisor.child_spec(child, [])}, :infinity)
  end

  @doc "Removes the child with that id, stopping it if it runs."
  @spec remove(term(), Instance.t()) :: :ok | {:error, :not_found}
  def remove(id, instance \\ SoulMem), do: GenServer.call(server(instance), {:remove, id}, :infinity)

  @doc "The ids of the children in order, each with its pid while it runs."
  @spec children(Instance.t()) :: [{id :: term(), pid() | nil}]
  def children(instance \\ SoulMem), do: GenServer.call(server(instance), :children, :infinity)

  @doc "Has the calling process told when the daemon goes and when it is back; returns how it stands now."
  @spec watch(Instance.t()) :: :up | :down
  def watch(instance \\ SoulMem), do: GenServer.call(server(instance), {:watch, self()}, :infinity)

  @doc "Ends `watch/1`."
  @spec unwatch(Instance.t()) :: :ok
  def unwatch(instance \\ SoulMem), do: GenServer.call(server(instance), {:unwatch, self()}, :infinity)

  @doc false
  # The children are below this process, and take the time that they take.
  def child_spec(options) do
    %{
      id: __MODULE__,
      start: {__MODULE__, :start_link, [options]},
      shutdown: :infinity,
      type: :supervisor
    }
  end

  @doc false
  def start_link(options) do
    instance = Keyword.fetch!(options, :instance)
    GenServer.start_link(__MODULE__, instance, name: server(instance))
  end

  @impl true
  def init(instance) do
    Process.flag(:trap_exit, true)

    state = %__MODULE__{
      instance: instance,
      backoff: Backoff.new(@start_backoff),
      condition: :down
    }

    case Connection.watch(Instance.process(instance, Connection)) do
      {:up, _hello} -> {:ok, %{state | condition: :up}, {:continue, :start}}
      :down -> {:ok, state}
    end
  end

  @impl true
  def handle_continue(:start, state), do: {:noreply, start(state)}

  @impl true
  def handle_call({:add, spec}, _from, state) do
    with :ok <- Roster.add(roster(state), spec),
         :ok <- start_now(state, spec) do
      {:reply, :ok, state}
    else
      {:error, reason} -> {:reply, {:error, reason}, state}
    end
  end

  def handle_call({:remove, id}, _from, state) do
    if state.supervisor, do: stop_child(state.supervisor, id)
    {:reply, Roster.remove(roster(state), id), state}
  end

  def handle_call(:children, _from, state) do
    running =
      if state.supervisor,
        do: Map.new(Supervisor.which_children(state.supervisor), &pid_by_id/1),
        else: %{}

    {:reply, for(spec <- Roster.specs(roster(state)), do: {spec.id, running[spec.id]}), state}
  end

  def handle_call({:watch, pid}, _from, state) do
    Roster.watch(roster(state), pid)
    {:reply, state.condition, state}
  end

  def handle_call({:unwatch, pid}, _from, state) do
    {:reply, Roster.unwatch(roster(state), pid), state}
  end

  @impl true
  def handle_info({Connection, :up, _hello}, state), do: {:noreply, start(%{state | condition: :up})}

  def handle_info({Connection, :down, _reason}, state), do: {:noreply, stop(state)}

  def handle_info(:start, %{condition: :up, supervisor: nil} = state), do: {:noreply, start(state)}

  def handle_info({:EXIT, supervisor, reason}, %{supervisor: supervisor} = state) do
    {:noreply, start_later(%{state | supervisor: nil}, reason)}
  end

  # Events of the connection, exits of what was stopped, timers that no longer apply.
  def handle_info(_other, state), do: {:noreply, state}

  @impl true
  def terminate(_reason, state), do: stop(state)

  defp start(state) do
    case Supervisor.start_link(Roster.specs(roster(state)), strategy: :rest_for_one) do
      {:ok, supervisor} ->
        Roster.tell(roster(state), {__MODULE__, :up})
        %{state | supervisor: supervisor, backoff: Backoff.reset(state.backoff)}

      {:error, reason} ->
        start_later(state, reason)
    end
  end

  defp start_later(state, reason) do
    {pause, backoff} = Backoff.next(state.backoff)

    Logger.error("dependents of the soulmem daemon do not run: #{Exception.format_exit(reason)}; again in #{pause} ms")

    Process.send_after(self(), :start, pause)
    %{state | backoff: backoff}
  end

  defp stop(%{condition: :down} = state), do: state

  defp stop(state) do
    Roster.tell_reversed(roster(state), {__MODULE__, :down})
    if state.supervisor, do: Supervisor.stop(state.supervisor, :shutdown, :infinity)
    %{state | condition: :down, supervisor: nil}
  end

  defp start_now(%{supervisor: nil}, _spec), do: :ok

  defp start_now(state, spec) do
    case Supervisor.start_child(state.supervisor, spec) do
      {:error, reason} ->
        Roster.remove(roster(state), spec.id)
        {:error, reason}

      _started ->
        :ok
    end
  end

  defp stop_child(supervisor, id) do
    with :ok <- Supervisor.terminate_child(supervisor, id), do: Supervisor.delete_child(supervisor, id)
  end

  defp pid_by_id({id, pid, _type, _modules}), do: {id, if(is_pid(pid), do: pid)}

  defp roster(state), do: Instance.process(state.instance, Roster)
  defp server(instance), do: Instance.process(instance, __MODULE__)
end
