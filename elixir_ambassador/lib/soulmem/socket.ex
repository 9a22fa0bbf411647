defmodule SoulMem.Socket do
  @moduledoc false
  # Frames over TCP to the daemon on this machine: `packet: 4` does the length prefix. `packet_size` bounds what
  # a hostile prefix can make the driver allocate, and the send time-out keeps a daemon that does not read from
  # holding its callers.

  alias SoulMem.Protocol

  @loopback {127, 0, 0, 1}
  @connect_timeout 1_000
  @send_timeout 1_000

  # Two small answers are all that a connection for a shutdown reads.
  @small_frames 1_048_576

  @type t() :: :gen_tcp.socket()
  @type endpoint() :: %{:port => :inet.port_number(), :token => (() -> String.t()), optional(atom()) => term()}

  @doc "A connection on which `hello`, with `msg_id` 0, has been said and not yet been answered."
  @spec open(endpoint(), max_frame_bytes :: pos_integer()) :: {:ok, t()} | {:error, term()}
  def open(%{port: port, token: token}, max_frame_bytes) do
    with {:ok, socket} <- connect(port, max_frame_bytes) do
      case :gen_tcp.send(socket, hello(token.())) do
        :ok ->
          {:ok, socket}

        {:error, reason} ->
          :gen_tcp.close(socket)
          {:error, reason}
      end
    end
  end

  @doc "Opens a connection of its own, asks the daemon to shut down, and waits for no more than its consent."
  @spec shutdown(endpoint(), timeout()) :: :ok | {:error, term()}
  def shutdown(endpoint, timeout) do
    with {:ok, socket} <- open(endpoint, @small_frames) do
      try do
        with {:ok, _hello} <- read(socket, timeout),
             :ok <- :gen_tcp.send(socket, request("shutdown")),
             {:ok, _consent} <- read(socket, timeout),
             do: :ok
      after
        :gen_tcp.close(socket)
      end
    end
  end

  defp connect(port, max_frame_bytes) do
    options = [
      :binary,
      packet: 4,
      packet_size: max_frame_bytes,
      active: false,
      nodelay: true,
      send_timeout: @send_timeout,
      send_timeout_close: true
    ]

    :gen_tcp.connect(@loopback, port, options, @connect_timeout)
  end

  defp hello(token) do
    client = %{"name" => "soulmem_ambassador", "version" => client_version()}
    {:ok, frame} = Protocol.encode(:req, %{msg_id: 0, op: "hello", payload: %{"token" => token, "client" => client}})
    frame
  end

  defp request(op) do
    {:ok, frame} = Protocol.encode(:req, %{msg_id: 1, op: op, payload: %{}})
    frame
  end

  defp read(socket, timeout) do
    with {:ok, answer} <- :gen_tcp.recv(socket, 0, timeout), do: answered(Protocol.decode(answer))
  end

  defp answered({:ok, %{kind: :res} = message}), do: {:ok, message}
  defp answered({:ok, %{payload: payload}}), do: {:error, payload}
  defp answered({:error, reason}), do: {:error, reason}

  defp client_version do
    case Application.spec(:soulmem, :vsn) do
      nil -> "unknown"
      version -> List.to_string(version)
    end
  end
end
