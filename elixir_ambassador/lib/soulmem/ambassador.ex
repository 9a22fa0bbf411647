defmodule SoulMem.Ambassador do
  @moduledoc false
  # The one name the cluster knows: `GenServer.call({SoulMem.Ambassador, node}, request)` with the plain map of
  # `SoulMem.Request.to_remote/1`, answered with `%{v: 1, ok: payload}` or `%{v: 1, error: map}`. What is told without
  # being asked, events of a character, comes to the same name as `%{v: 1, event: name, soul: …, payload: …}`.
  #
  # It never waits for the daemon or for a link: a task does, and replies to the caller itself. There are no more tasks
  # than the relay's cap; past it the answer is `overloaded`, at once.

  use GenServer

  alias SoulMem.{Error, Events, Instance, Remote, Request, Router}

  @enforce_keys [:instance, :reply_limit]
  defstruct [:instance, :reply_limit, running: %{}]

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    name = options |> Keyword.fetch!(:instance) |> Instance.process(__MODULE__)
    GenServer.start_link(__MODULE__, options, name: name)
  end

  @doc "Asks the ambassador of a node, this one or another."
  @spec call(node(), Instance.t(), Request.t()) :: {:ok, map()} | {:error, Error.t()}
  def call(node, instance, %Request{} = request) do
    case Remote.call(instance, Instance.process(instance, __MODULE__), node, request) do
      {:ok, answer} -> answer(answer, request)
      {:error, :congested} -> {:error, error(:unreachable, request, "the link to #{node} is congested or cut")}
      {:error, :unreachable} -> {:error, error(:unreachable, request, "no ambassador answers on #{node}")}
      {:error, :deadline} -> {:error, error(:deadline, request)}
    end
  end

  @impl true
  def init(options) do
    :ok = :net_kernel.monitor_nodes(true)
    {:ok, %__MODULE__{instance: options[:instance], reply_limit: options[:reply_limit]}}
  end

  @impl true
  def handle_call(remote, from, state) do
    with {:ok, request} <- Request.from_remote(remote),
         {:ok, task} <- relay(request, from, state) do
      {:noreply, put_in(state.running[Process.monitor(task)], {task, from, request})}
    else
      {:error, error} ->
        answer_now(from, {:error, error})
        {:noreply, state}
    end
  end

  @impl true
  def handle_info({:DOWN, monitor, :process, _task, reason}, state) do
    {{_task, from, _request}, running} = Map.pop!(state.running, monitor)
    # A task that ended well has replied.
    if reason not in [:normal, :noproc],
      do: answer_now(from, {:error, Error.new(:internal, detail: "the relay failed")})

    {:noreply, %{state | running: running}}
  end

  # Nobody waits for what that node asked: reads end, writes that have begun come to their end.
  def handle_info({:nodedown, node}, state) do
    for {_monitor, {task, {pid, _tag}, request}} <- state.running,
        node(pid) == node and not Request.write?(request),
        do: Process.exit(task, :kill)

    {:noreply, state}
  end

  def handle_info(%{v: 1, event: event, soul: soul, payload: payload}, state)
      when is_binary(event) and is_binary(soul) and is_map(payload) do
    send(Instance.process(state.instance, Events), {:from_owner, soul, event, payload})
    {:noreply, state}
  end

  # Strays, such as the late reply to a call that timed out, and nodes that come.
  def handle_info(_stray, state), do: {:noreply, state}

  defp relay(request, from, state) do
    work = fn -> Remote.reply(from, request |> serve(from, state) |> bounded(request, state.reply_limit), request) end

    case Task.Supervisor.start_child(Instance.process(state.instance, SoulMem.Relay), work) do
      {:ok, task} -> {:ok, task}
      {:error, :max_children} -> {:error, error(:overloaded, request)}
    end
  end

  defp serve(%Request{op: op} = request, {pid, _tag}, state) when op in ["subscribe", "unsubscribe"],
    do: Events.serve(request, node(pid), state.instance)

  defp serve(request, _from, state), do: Router.local(request, state.instance)

  # A large answer keeps the link from everything behind it, the sign of life included.
  defp bounded(result, request, limit) do
    answer = reply(result)
    size = :erlang.external_size(answer)
    too_large = "an answer of #{size} bytes is over the #{limit} that cross between nodes: ask for less at a time"
    if size > limit, do: reply({:error, error(:too_large, request, too_large)}), else: answer
  end

  # From this process itself, so only if that can be done at once.
  defp answer_now(from, result), do: Remote.reply_now(from, reply(result))

  defp reply({:ok, payload}), do: %{v: 1, ok: payload}
  defp reply({:error, error}), do: %{v: 1, error: Error.to_wire(error)}

  defp answer(%{v: 1, ok: payload}, _request), do: {:ok, payload}

  defp answer(%{v: 1, error: error}, request), do: {:error, Error.from_wire(error, op: request.op, soul: request.soul)}

  defp answer(_other, request), do: {:error, error(:unsupported_version, request)}

  defp error(reason, request, detail \\ nil) do
    Error.new(reason, op: request.op, soul: request.soul, detail: detail)
  end
end
