defmodule SoulMem.Outbox do
  @moduledoc false
  # Pushes that must not be lost while their owner cannot be reached. Each is on this node's disk before it is first sent,
  # and is sent until its owner has taken it; those of one character one after the other, in their order.
  #
  # Exactly once, however much later: each carries the outbox it comes from (`origin`) and its number there, and the owner
  # keeps the highest number of every origin for good. A start of this process is a new origin, so that neither a restored
  # disk nor a copied one ever gives a number to another push.
  #
  # A caller who repeats a push under its key gets the one that waits; if that is gone already, its owner knows the key.

  use GenServer

  require Logger

  alias SoulMem.Outbox.Disk
  alias SoulMem.{Backoff, Error, Instance, Membership, MessagePack, Options, Request, Router}

  # Not retryable for a caller, but for one who can wait for days.
  @patient [:no_owner, :read_only, :storage_full]

  @send_timeout 30_000
  @backoff [min: 200, max: 10_000]

  @enforce_keys [:instance, :dir, :limit, :byte_limit, :origin]
  defstruct [
    :instance,
    :dir,
    :limit,
    :byte_limit,
    :origin,
    number: 0,
    seq: 0,
    count: 0,
    bytes: 0,
    queues: %{},
    keys: %{},
    sending: %{},
    backoffs: %{},
    waiting: %{}
  ]

  @doc "A child where a folder is configured."
  @spec children(keyword()) :: [{module(), keyword()}]
  def children(options) do
    if options[:outbox_dir], do: [{__MODULE__, Keyword.take(options, [:name | options()])}], else: []
  end

  defp options, do: [:outbox_dir, :outbox_limit, :outbox_bytes]

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    GenServer.start_link(__MODULE__, options, name: Instance.process(options[:name], __MODULE__))
  end

  @doc """
  Keeps a push and sends it: the owner's answer, or `%{"queued" => true}` with `origin` and `seq` where that does not come
  within the call's timeout.
  """
  @spec push(String.t(), [map()], keyword()) :: {:ok, map()} | {:error, Error.t()}
  def push(soul, messages, options) do
    options = Options.call!(options)

    with {:ok, request} <- Request.new("push", soul, %{messages: messages}, options),
         :ok <- named(request),
         :ok <- unaddressed(options[:node], soul) do
      server = Instance.process(options[:instance], __MODULE__)
      GenServer.call(server, {:push, request}, Request.remaining_ms(request) + 1_000)
    end
  catch
    :exit, {:noproc, _call} -> {:error, failed(:not_started, soul, "there is no outbox: configure `outbox_dir`")}
    :exit, {:timeout, _call} -> {:error, failed(:deadline, soul, "the disk of the outbox is slow")}
    :exit, _gone -> {:error, failed(:not_started, soul, "the outbox is being started anew")}
  end

  @doc "How much waits, of whom, and how much was refused: for `health`."
  @spec report(Instance.t()) :: map() | nil
  def report(instance) do
    GenServer.call(Instance.process(instance, __MODULE__), :report)
  catch
    :exit, _none -> nil
  end

  @impl true
  def init(options) do
    with {:ok, entries} <- Disk.load(options[:outbox_dir]) do
      :ok = Membership.watch(options[:name])

      state = %__MODULE__{
        instance: options[:name],
        dir: options[:outbox_dir],
        limit: options[:outbox_limit],
        byte_limit: options[:outbox_bytes],
        origin: Base.encode16(:crypto.strong_rand_bytes(16), case: :lower),
        number: entries |> Enum.map(& &1.number) |> Enum.max(fn -> 0 end)
      }

      {:ok, Enum.reduce(entries, state, &enqueue(&2, &1)), {:continue, :send}}
    else
      {:error, reason} -> {:stop, {:outbox, options[:outbox_dir], reason}}
    end
  end

  @impl true
  def handle_continue(:send, state),
    do: {:noreply, state.queues |> Map.keys() |> Enum.reduce(state, &send_next(&2, &1))}

  @impl true
  def handle_call({:push, request}, from, state) do
    case Map.fetch(state.keys, {request.soul, request.idempotency_key}) do
      {:ok, entry} when entry.messages == request.payload ->
        {:noreply, wait(state, entry, request, from)}

      {:ok, _another} ->
        used = "another push waits in the outbox under the idempotency key #{request.idempotency_key}"
        {:reply, {:error, failed(:conflict, request.soul, used)}, state}

      :error ->
        new(state, request, from)
    end
  end

  def handle_call(:report, _from, state) do
    souls = Map.new(state.queues, fn {soul, queue} -> {soul, :queue.len(queue)} end)
    {:reply, %{"waiting" => souls, "bytes" => state.bytes, "refused" => Disk.refused(state.dir)}, state}
  end

  @impl true
  def handle_info({:too_late, number, from, queued}, state) do
    {callers, waiting} = Map.pop(state.waiting, number, [])
    if from in callers, do: GenServer.reply(from, {:ok, queued})

    case List.delete(callers, from) do
      [] -> {:noreply, %{state | waiting: waiting}}
      others -> {:noreply, %{state | waiting: Map.put(waiting, number, others)}}
    end
  end

  def handle_info({task, result}, state) when is_map_key(state.sending, task) do
    Process.demonitor(task, [:flush])
    {soul, sending} = Map.pop!(state.sending, task)
    {:noreply, sent(%{state | sending: sending}, soul, result)}
  end

  # The sender fell: that says nothing of the push.
  def handle_info({:DOWN, task, :process, _pid, _reason}, state) when is_map_key(state.sending, task) do
    {soul, sending} = Map.pop!(state.sending, task)
    {:noreply, again_later(%{state | sending: sending}, soul)}
  end

  def handle_info({:again, soul}, state), do: {:noreply, send_next(state, soul)}
  def handle_info({Membership, :found, soul, _node}, state), do: {:noreply, send_next(state, soul)}
  def handle_info(_other, state), do: {:noreply, state}

  ## Keeping

  defp new(state, request, from) do
    size = byte_size(request.payload)

    if state.count >= state.limit or state.bytes + size > state.byte_limit do
      full = "the outbox is full: #{state.count} pushes of #{state.bytes} bytes wait in it"
      {:reply, {:error, failed(:overloaded, request.soul, full)}, state}
    else
      {:noreply, keep(state, request, from)}
    end
  end

  defp keep(state, request, from) do
    {number, seq} = {state.number + 1, state.seq + 1}

    entry = %Disk{
      number: number,
      soul: request.soul,
      key: request.idempotency_key,
      origin: state.origin,
      seq: seq,
      messages: request.payload
    }

    case Disk.put(state.dir, entry) do
      {:ok, entry} ->
        state = %{state | number: number, seq: seq}
        state |> enqueue(entry) |> wait(entry, request, from) |> send_next(entry.soul)

      {:error, reason} ->
        detail = "the outbox cannot be written: #{:file.format_error(reason)}"
        GenServer.reply(from, {:error, failed(:storage_full, request.soul, detail)})
        # The number is not given again: it may be on the disk after all.
        %{state | number: number, seq: seq}
    end
  end

  defp wait(state, entry, request, from) do
    queued = %{"queued" => true, "origin" => entry.origin, "seq" => entry.seq}
    Process.send_after(self(), {:too_late, entry.number, from, queued}, max(Request.remaining_ms(request), 0))
    %{state | waiting: Map.update(state.waiting, entry.number, [from], &[from | &1])}
  end

  defp enqueue(state, entry) do
    queues = Map.update(state.queues, entry.soul, :queue.from_list([entry]), &:queue.in(entry, &1))
    keys = Map.put(state.keys, {entry.soul, entry.key}, entry)
    %{state | queues: queues, keys: keys, count: state.count + 1, bytes: state.bytes + entry.bytes}
  end

  defp dequeue(state, soul) do
    {{:value, entry}, queue} = :queue.out(state.queues[soul])

    queues = if :queue.is_empty(queue), do: Map.delete(state.queues, soul), else: Map.put(state.queues, soul, queue)
    keys = Map.delete(state.keys, {soul, entry.key})
    {entry, %{state | queues: queues, keys: keys, count: state.count - 1, bytes: state.bytes - entry.bytes}}
  end

  ## Sending

  defp send_next(state, soul) do
    sending? = soul in Map.values(state.sending)

    case state.queues do
      %{^soul => queue} when not sending? -> start_sending(state, soul, :queue.get(queue))
      %{} -> state
    end
  end

  defp start_sending(state, soul, entry) do
    instance = state.instance
    supervisor = Instance.process(instance, SoulMem.Senders)
    %Task{ref: task} = Task.Supervisor.async_nolink(supervisor, fn -> deliver(entry, instance) end)
    %{state | sending: Map.put(state.sending, task, soul)}
  end

  defp deliver(entry, instance) do
    {:ok, payload} = MessagePack.unpack(entry.messages)
    origin = %{"id" => entry.origin, "seq" => entry.seq}
    options = [instance: instance, timeout: @send_timeout, retries: 0, idempotency_key: entry.key]
    Router.call("push", entry.soul, Map.put(payload, "origin", origin), options)
  end

  defp sent(state, soul, {:ok, payload}) do
    {entry, state} = dequeue(state, soul)
    removed(Disk.delete(state.dir, entry), entry)
    state |> answer(entry, {:ok, payload}) |> went_well(soul) |> send_next(soul)
  end

  defp sent(state, soul, {:error, %Error{retryable: retryable, reason: reason} = error}) do
    if retryable or reason in @patient,
      do: again_later(state, soul),
      else: refused(state, soul, error)
  end

  # Whoever still waits is told, and may do something about it; else a human can.
  defp refused(state, soul, error) do
    {entry, state} = dequeue(state, soul)

    if is_map_key(state.waiting, entry.number) do
      removed(Disk.delete(state.dir, entry), entry)
    else
      Logger.error("a push that waited in the outbox was refused, and put aside: #{Exception.message(error)}")
      removed(Disk.refuse(state.dir, entry), entry)
    end

    state |> answer(entry, {:error, error}) |> went_well(soul) |> send_next(soul)
  end

  # Sent again after the next start; its owner then knows its number.
  defp removed(:ok, _entry), do: :ok

  defp removed({:error, reason}, entry) do
    Logger.warning("push #{entry.number} of #{entry.soul} stays in the outbox: #{:file.format_error(reason)}")
  end

  defp answer(state, entry, result) do
    {callers, waiting} = Map.pop(state.waiting, entry.number, [])
    Enum.each(callers, &GenServer.reply(&1, result))
    %{state | waiting: waiting}
  end

  defp went_well(state, soul), do: %{state | backoffs: Map.delete(state.backoffs, soul)}

  defp again_later(state, soul) do
    {pause, backoff} = Backoff.next(state.backoffs[soul] || Backoff.new(@backoff))
    Process.send_after(self(), {:again, soul}, pause)
    %{state | backoffs: Map.put(state.backoffs, soul, backoff)}
  end

  # The name becomes that of a folder.
  defp named(%Request{soul: soul}) when is_binary(soul) do
    if String.match?(soul, ~r/\A[a-z0-9_-]{1,64}\z/),
      do: :ok,
      else: {:error, failed(:invalid_argument, soul, "a character's name is 1 to 64 of a-z 0-9 _ -")}
  end

  defp named(request), do: {:error, failed(:invalid_argument, request.soul, "a character must be named")}

  # Who takes it is found when it can be sent.
  defp unaddressed(nil, _soul), do: :ok
  defp unaddressed(_node, soul), do: {:error, failed(:invalid_argument, soul, "`node` and `outbox` exclude each other")}

  defp failed(reason, soul, detail), do: Error.new(reason, op: "push", soul: soul, detail: detail)
end
