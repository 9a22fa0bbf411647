defmodule SoulMem.Socket do
  @moduledoc false
  # Frames over TCP to the daemon on this machine: `packet: 4` does the length prefix. `packet_size` bounds what
  # a hostile prefix can make the driver allocate, and the send time-out keeps a daemon that does not read from
  # holding its callers.

  alias SoulMem.Protocol

  @loopback {127, 0, 0, 1}
  @connect_timeout 1_000
  @send_timeout 1_000

  @type t() :: :gen_tcp.socket()

  @spec connect(:inet.port_number(), max_frame_bytes :: pos_integer()) ::
          {:ok, t()} | {:error, term()}
  def connect(port, max_frame_bytes) do
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

  @doc "The frame that must be the first on a connection."
  @spec hello(non_neg_integer(), token :: String.t()) :: binary()
  def hello(msg_id, token) do
    client = %{"name" => "soulmem_ambassador", "version" => client_version()}

    {:ok, frame} =
      Protocol.encode(:req, %{
        msg_id: msg_id,
        op: "hello",
        payload: %{"token" => token, "client" => client}
      })

    frame
  end

  @doc """
  Opens a connection of its own, asks the daemon to shut down, and does not wait for more than the answer.
  """
  @spec shutdown(%{port: :inet.port_number(), token: String.t()}, timeout()) ::
          :ok | {:error, term()}
  def shutdown(%{port: port, token: token}, timeout) do
    {:ok, request} = Protocol.encode(:req, %{msg_id: 1, op: "shutdown", payload: %{}})

    with {:ok, socket} <- connect(port, 65_536) do
      try do
        with {:ok, _hello} <- ask(socket, hello(0, token), timeout),
             {:ok, _answer} <- ask(socket, request, timeout),
             do: :ok
      after
        :gen_tcp.close(socket)
      end
    end
  end

  defp ask(socket, frame, timeout) do
    with :ok <- :gen_tcp.send(socket, frame),
         {:ok, answer} <- :gen_tcp.recv(socket, 0, timeout) do
      answered(Protocol.decode(answer))
    end
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
