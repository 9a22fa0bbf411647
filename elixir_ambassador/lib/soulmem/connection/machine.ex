defmodule SoulMem.Connection.Machine do
  @moduledoc false
  # Requests are pipelined and matched by `msg_id`, which is never used twice, so an answer that comes after its
  # caller gave up finds nobody and is dropped.
  #
  #   disconnected   no daemon, or a pause before the next try
  #   connecting     connected, `hello` is under way
  #   connected      requests go through
  #
  # That the two sides speak no protocol in common is for `hello` to say. It is tried again all the same: the daemon may be
  # another one after its next start. Until then callers are told so, and not that the daemon is down.

  @behaviour :gen_statem

  require Logger

  alias SoulMem.{Backoff, Connection, Daemon, Error, InFlight, Protocol, Request, Socket, Telemetry, Watchers}

  @version Protocol.version()

  # Once its process is gone, the daemon's side of the socket closes by itself; this is for when it does not.
  @close_timeout 1_000

  @enforce_keys [:options, :backoff]
  defstruct [
    :options,
    :backoff,
    :endpoint,
    :socket,
    :hello,
    :refused,
    in_flight: InFlight.new(),
    suspicion: :none,
    watchers: Watchers.new()
  ]

  @impl true
  def callback_mode, do: :state_functions

  @impl true
  def init(options) do
    data = %__MODULE__{options: options, backoff: Backoff.new(options[:reconnect_backoff])}
    {:ok, :disconnected, data, {:next_event, :internal, :watch_daemon}}
  end

  ## disconnected

  @doc false
  def disconnected(:internal, :watch_daemon, data) do
    case Daemon.watch(data.options[:daemon]) do
      {:up, endpoint} -> connect(%{data | endpoint: endpoint})
      :down -> :keep_state_and_data
    end
  end

  def disconnected({:timeout, :reconnect}, _, data), do: connect(data)

  def disconnected(:info, {Daemon, :up, endpoint}, data), do: connect(%{data | endpoint: endpoint})

  def disconnected(:info, {Daemon, :down, _reason}, data), do: {:keep_state, forget_endpoint(data), cancel(:reconnect)}

  def disconnected(kind, event, data), do: without_connection(kind, event, data)

  ## connecting

  @doc false
  def connecting(:info, {:tcp, socket, frame}, %{socket: socket} = data), do: greeted(Protocol.decode(frame), data)

  def connecting(:state_timeout, :hello, data), do: disconnect(data, "it did not answer hello")

  def connecting(:info, {Daemon, :down, _reason}, data), do: disconnect(forget_endpoint(data), "it ended")

  def connecting(:info, {:tcp_closed, socket}, %{socket: socket} = data),
    do: disconnect(data, "it closed the connection")

  def connecting(:info, {:tcp_error, socket, reason}, %{socket: socket} = data), do: disconnect(data, inspect(reason))

  def connecting(kind, event, data), do: without_connection(kind, event, data)

  ## connected

  @doc false
  def connected({:call, from}, {:request, request}, data), do: admit(from, request, data)
  def connected({:call, from}, :await, _data), do: {:keep_state_and_data, {:reply, from, :ok}}

  def connected(:info, {:tcp, socket, frame}, %{socket: socket} = data), do: received(Protocol.decode(frame), data)

  def connected(:info, {:tcp_closed, socket}, %{socket: socket} = data),
    do: disconnect(data, "it closed the connection")

  def connected(:info, {:tcp_error, socket, reason}, %{socket: socket} = data), do: disconnect(data, inspect(reason))

  # What it answered before it fell is still on its way to us: the socket's own end comes after that.
  def connected(:info, {Daemon, :down, _reason}, data) do
    {:keep_state, forget_endpoint(data), {:state_timeout, @close_timeout, :closed}}
  end

  def connected(:state_timeout, :closed, data), do: disconnect(data, "it ended")
  def connected({:timeout, {:deadline, msg_id}}, _, data), do: expired(msg_id, data)
  def connected({:timeout, :health}, _, data), do: check_health(data)
  def connected(kind, event, data), do: in_any_state(kind, event, data)

  ## In any state

  defp without_connection({:call, from}, {:request, request}, data) do
    {:keep_state_and_data, {:reply, from, refused(request, data.refused)}}
  end

  defp without_connection({:call, _from}, :await, _data), do: {:keep_state_and_data, :postpone}
  defp without_connection(kind, event, data), do: in_any_state(kind, event, data)

  defp in_any_state({:call, {pid, _tag} = from}, {:watch, pid}, data) do
    condition = if data.hello, do: {:up, data.hello}, else: :down
    {:keep_state, %{data | watchers: Watchers.add(data.watchers, pid)}, {:reply, from, condition}}
  end

  defp in_any_state(:info, {:DOWN, _monitor, :process, pid, _reason}, data) do
    {:keep_state, %{data | watchers: Watchers.remove(data.watchers, pid)}}
  end

  # A new daemon is up before the end of the old one's socket came.
  defp in_any_state(:info, {Daemon, :up, endpoint}, data) do
    disconnect(%{data | endpoint: endpoint}, "another one took its place")
  end

  # Messages of sockets and timers that are no longer ours.
  defp in_any_state(_kind, _stale, _data), do: :keep_state_and_data

  ## Connecting and leaving

  defp connect(%{endpoint: nil}), do: :keep_state_and_data

  defp connect(%{endpoint: endpoint, options: options} = data) do
    case Socket.open(endpoint, options[:max_frame_bytes]) do
      {:ok, socket} ->
        listen(socket)
        actions = [{:state_timeout, options[:hello_timeout], :hello}, cancel(:reconnect)]
        {:next_state, :connecting, %{data | socket: socket}, actions}

      {:error, reason} ->
        disconnect(data, inspect(reason))
    end
  end

  defp greeted({:ok, %{kind: :res, payload: %{"protocol" => other}}}, data) when other != @version,
    do: not_understood("it answers hello in protocol #{inspect(other)}", data)

  defp greeted({:ok, %{kind: :res, payload: hello}}, data) do
    Telemetry.execute([:connection, :up], %{}, %{souls: hello["souls"]})
    Watchers.tell(data.watchers, {Connection, :up, hello})
    listen(data.socket)
    data = %{data | hello: hello, backoff: Backoff.reset(data.backoff), suspicion: :none, refused: nil}
    {:next_state, :connected, data, health_timer(data)}
  end

  defp greeted({:ok, %{payload: %{"code" => "unsupported_version"} = payload}}, data),
    do: not_understood("it refused hello: #{payload["message"]}", data)

  defp greeted({:ok, %{payload: payload}}, data), do: disconnect(data, "it refused hello: #{payload["message"]}")

  defp greeted({:error, {:unsupported_version, _field}}, data),
    do: not_understood("it answers hello in another version", data)

  defp greeted({:error, _reason}, data), do: disconnect(data, "it does not speak the protocol")

  defp not_understood(reason, data) do
    both = "#{reason}; this node speaks protocol #{@version}: bring the older of the two up to date"
    disconnect(%{data | refused: both}, both)
  end

  defp disconnect(data, reason) do
    if data.socket, do: :gen_tcp.close(data.socket)

    if data.hello,
      do: told_down(data, reason),
      else: Logger.warning("no connection to the soulmem daemon: #{reason}")

    {pause, backoff} = Backoff.next(data.backoff)

    replies =
      for {from, request} <- InFlight.all(data.in_flight), do: {:reply, from, failed(request, :daemon_down, reason)}

    data = %{
      data
      | socket: nil,
        hello: nil,
        in_flight: InFlight.clear(data.in_flight),
        backoff: backoff
    }

    {:next_state, :disconnected, data, [{{:timeout, :reconnect}, pause, nil}, cancel(:health) | replies]}
  end

  defp told_down(data, reason) do
    Logger.warning("the connection to the soulmem daemon is lost: #{reason}")

    Telemetry.execute([:connection, :down], %{in_flight: InFlight.size(data.in_flight)}, %{
      reason: reason
    })

    Watchers.tell(data.watchers, {Connection, :down, reason})
  end

  defp forget_endpoint(data), do: %{data | endpoint: nil, refused: nil}

  ## Requests

  defp admit(from, request, data) do
    cond do
      Request.expired?(request) ->
        {:keep_state_and_data, {:reply, from, failed(request, :deadline)}}

      InFlight.size(data.in_flight) >= in_flight_limit(data) ->
        {:keep_state_and_data, {:reply, from, failed(request, :overloaded)}}

      true ->
        transmit(from, request, data)
    end
  end

  defp transmit(from, request, data) do
    {msg_id, in_flight} = InFlight.add(data.in_flight, {from, request}, now())
    frame = Protocol.request(msg_id, request)

    if byte_size(frame) > frame_limit(data) do
      {:keep_state_and_data, {:reply, from, failed(request, :too_large, "a frame of #{byte_size(frame)} bytes")}}
    else
      deadline = {{:timeout, {:deadline, msg_id}}, max(Request.remaining_ms(request), 0), nil}
      send_frame(frame, %{data | in_flight: in_flight}, deadline)
    end
  end

  defp send_frame(frame, data, actions) do
    case :gen_tcp.send(data.socket, frame) do
      :ok -> {:keep_state, data, actions}
      {:error, reason} -> disconnect(data, "sending failed (#{inspect(reason)})")
    end
  end

  defp received({:ok, message}, data) do
    listen(data.socket)
    answered(message, %{data | suspicion: :none})
  end

  # Whatever follows cannot be trusted to be where frames begin.
  defp received({:error, {_code, rule}}, data), do: disconnect(data, "it does not speak the protocol (#{rule})")

  defp answered(%{kind: :event} = event, data) do
    Watchers.tell(data.watchers, {Connection, :event, event})
    {:keep_state, data}
  end

  defp answered(%{kind: kind, msg_id: msg_id, payload: payload}, data)
       when kind in [:res, :err] do
    case InFlight.take(data.in_flight, msg_id) do
      {{from, request}, in_flight} ->
        actions = [cancel({:deadline, msg_id}), {:reply, from, result(kind, payload, request)}]
        {:keep_state, %{data | in_flight: in_flight}, actions}

      nil ->
        {:keep_state, data}
    end
  end

  # An error without an id is about a frame that the daemon could not read: it closes the connection next.
  defp answered(%{kind: :err, payload: payload}, data), do: disconnect(data, "it said: #{payload["message"]}")

  defp answered(%{kind: :req}, data), do: disconnect(data, "it sent a request")

  defp result(:res, payload, _request), do: {:ok, payload}

  defp result(:err, %{"code" => code} = payload, request) when is_binary(code) do
    {:error, Error.from_wire(payload, op: request.op, soul: request.soul)}
  end

  defp result(:err, _payload, request), do: failed(request, :internal, "an error without a code")

  defp expired(msg_id, data) do
    case InFlight.take(data.in_flight, msg_id) do
      {{from, request}, in_flight} ->
        # It should have answered by itself: enough to ask whether it is there at all.
        suspicion = if data.suspicion == :none, do: :silent, else: data.suspicion

        {:keep_state, %{data | in_flight: in_flight, suspicion: suspicion}, {:reply, from, failed(request, :deadline)}}

      nil ->
        :keep_state_and_data
    end
  end

  ## Health: a daemon that is there answers a ping at once, whatever else it does.

  defp check_health(%{suspicion: :pinged} = data), do: disconnect(data, "it does not answer")

  defp check_health(data) do
    if data.suspicion == :silent or
         InFlight.oldest_age(data.in_flight, now()) >= data.options[:health_interval],
       do: ping(data),
       else: {:keep_state_and_data, health_timer(data)}
  end

  # Not among the requests in flight: any frame is answer enough.
  defp ping(data) do
    {msg_id, in_flight} = InFlight.reserve_id(data.in_flight)
    {:ok, frame} = Protocol.encode(:req, %{msg_id: msg_id, op: "ping", payload: %{}})
    send_frame(frame, %{data | in_flight: in_flight, suspicion: :pinged}, health_timer(data))
  end

  ## Small parts

  defp in_flight_limit(data), do: limit(data, "in_flight", :max_in_flight)
  defp frame_limit(data), do: limit(data, "frame_bytes", :max_frame_bytes)

  # The stricter of what the daemon told in `hello` and what this side was given.
  defp limit(%{hello: %{"limits" => %{} = limits}, options: options}, name, option) do
    case limits do
      %{^name => limit} when is_integer(limit) -> min(limit, options[option])
      %{} -> options[option]
    end
  end

  defp limit(data, _name, option), do: data.options[option]

  defp refused(request, nil), do: failed(request, :daemon_down)
  defp refused(request, why), do: failed(request, :unsupported_version, why)

  defp failed(request, reason, detail \\ nil) do
    {:error, Error.new(reason, op: request.op, soul: request.soul, detail: detail)}
  end

  defp listen(socket), do: :inet.setopts(socket, active: :once)
  defp health_timer(data), do: {{:timeout, :health}, data.options[:health_interval], nil}
  defp cancel(timer), do: {{:timeout, timer}, :cancel}
  defp now, do: System.monotonic_time(:millisecond)
end
