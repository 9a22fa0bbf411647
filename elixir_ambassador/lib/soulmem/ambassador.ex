defmodule SoulMem.Ambassador do
  @moduledoc false
  # The one name the cluster knows: `GenServer.call({SoulMem.Ambassador, node}, request)` with the plain map of
  # `SoulMem.Request.to_remote/1`, answered with `%{v: 1, ok: payload}` or `%{v: 1, error: map}`.
  #
  # It never waits for the daemon: a task does, and replies to the caller itself. There are no more tasks than the
  # relay's cap; past it the answer is `overloaded`, at once.

  use GenServer

  alias SoulMem.{Error, Instance, Request, Router}

  @enforce_keys [:instance]
  defstruct [:instance, running: %{}]

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    instance = Keyword.fetch!(options, :instance)
    GenServer.start_link(__MODULE__, instance, name: Instance.process(instance, __MODULE__))
  end

  @doc "Asks the ambassador of a node, this one or another."
  @spec call(node(), Instance.t(), Request.t()) :: {:ok, map()} | {:error, Error.t()}
  def call(node, instance, %Request{} = request) do
    server = {Instance.process(instance, __MODULE__), node}

    server
    |> GenServer.call(Request.to_remote(request), max(Request.remaining_ms(request), 1))
    |> answer(request)
  catch
    :exit, {:timeout, _call} -> {:error, error(:deadline, request)}
    :exit, _gone -> {:error, error(:unreachable, request)}
  end

  @impl true
  def init(instance), do: {:ok, %__MODULE__{instance: instance}}

  @impl true
  def handle_call(remote, from, state) do
    with {:ok, request} <- Request.from_remote(remote),
         {:ok, task} <- relay(request, from, state.instance) do
      {:noreply, put_in(state.running[Process.monitor(task)], from)}
    else
      {:error, error} -> {:reply, reply({:error, error}), state}
    end
  end

  @impl true
  def handle_info({:DOWN, monitor, :process, _task, reason}, state) do
    {from, running} = Map.pop(state.running, monitor)
    # A task that ended well has replied.
    if reason not in [:normal, :noproc],
      do: GenServer.reply(from, reply({:error, Error.new(:internal, detail: "the relay failed")}))

    {:noreply, %{state | running: running}}
  end

  # Strays, such as the late reply to a call that timed out.
  def handle_info(_stray, state), do: {:noreply, state}

  defp relay(request, from, instance) do
    work = fn -> GenServer.reply(from, request |> Router.local(instance) |> reply()) end

    case Task.Supervisor.start_child(Instance.process(instance, SoulMem.Relay), work) do
      {:ok, task} -> {:ok, task}
      {:error, :max_children} -> {:error, error(:overloaded, request)}
    end
  end

  defp reply({:ok, payload}), do: %{v: 1, ok: payload}
  defp reply({:error, error}), do: %{v: 1, error: Error.to_wire(error)}

  defp answer(%{v: 1, ok: payload}, _request), do: {:ok, payload}

  defp answer(%{v: 1, error: error}, request), do: {:error, Error.from_wire(error, op: request.op, soul: request.soul)}

  defp answer(_other, request), do: {:error, error(:unsupported_version, request)}

  defp error(reason, request), do: Error.new(reason, op: request.op, soul: request.soul)
end
