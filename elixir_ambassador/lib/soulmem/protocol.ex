defmodule SoulMem.Protocol do
  @moduledoc false
  # The envelope around every message between this node and its daemon, one frame each. Writing takes whatever
  # fields apply; reading checks that a frame has what its kind must have and ignores keys it does not know.

  alias SoulMem.{MessagePack, Request}

  @version 1
  @largest_id 0xFFFFFFFFFFFFFFFF

  @type kind() :: :req | :res | :err | :event

  @typedoc "A message as it was read: the fields that came, `payload` always a map."
  @type message() :: %{
          required(:kind) => kind(),
          required(:payload) => map(),
          optional(:msg_id) => non_neg_integer(),
          optional(:op) => String.t(),
          optional(:soul) => String.t(),
          optional(:deadline_ms) => non_neg_integer(),
          optional(:idempotency_key) => String.t()
        }

  @spec version() :: pos_integer()
  def version, do: @version

  @doc "The frame of a request, with the deadline as what remains of it."
  @spec request(non_neg_integer(), Request.t()) :: binary()
  def request(msg_id, %Request{} = request) do
    {:ok, frame} =
      encode(:req, %{
        msg_id: msg_id,
        op: request.op,
        soul: request.soul,
        payload: {:packed, request.payload},
        deadline_ms: max(Request.remaining_ms(request), 0),
        idempotency_key: request.idempotency_key
      })

    frame
  end

  @doc "A frame of any kind; fields that are `nil` are left out."
  @spec encode(kind(), map()) :: {:ok, binary()} | {:error, MessagePack.error()}
  def encode(kind, fields) do
    envelope = for {key, value} <- fields, not is_nil(value), into: %{}, do: {Atom.to_string(key), value}

    envelope
    |> Map.merge(%{"v" => @version, "kind" => Atom.to_string(kind)})
    |> MessagePack.pack()
  end

  @spec decode(binary()) :: {:ok, message()} | {:error, {code :: atom(), detail :: atom()}}
  def decode(frame) do
    with {:ok, envelope} <- MessagePack.unpack(frame),
         :ok <- version(envelope),
         {:ok, kind} <- kind(envelope),
         {:ok, message} <- fields(envelope, kind) do
      {:ok, message}
    end
  end

  defp version(%{"v" => @version}), do: :ok

  defp version(%{"v" => version}) when is_integer(version), do: {:error, {:unsupported_version, :v}}

  defp version(_other), do: {:error, {:bad_envelope, :v}}

  defp kind(%{"kind" => "req"}), do: {:ok, :req}
  defp kind(%{"kind" => "res"}), do: {:ok, :res}
  defp kind(%{"kind" => "err"}), do: {:ok, :err}
  defp kind(%{"kind" => "event"}), do: {:ok, :event}
  defp kind(_other), do: {:error, {:bad_envelope, :kind}}

  # Which fields a kind must have, beside those it may.
  @must %{req: [:msg_id, :op], res: [:msg_id], err: [], event: [:op]}
  @keys [:msg_id, :op, :soul, :payload, :deadline_ms, :idempotency_key]

  defp fields(envelope, kind) do
    message = for key <- @keys, value = envelope[Atom.to_string(key)], into: %{kind: kind}, do: {key, value}

    message = Map.put_new(message, :payload, %{})

    cond do
      wrong = Enum.find(message, &wrong?/1) ->
        {:error, {:bad_envelope, elem(wrong, 0)}}

      missing = Enum.find(@must[kind], &(not is_map_key(message, &1))) ->
        {:error, {:bad_envelope, missing}}

      true ->
        {:ok, message}
    end
  end

  defp wrong?({:kind, _kind}), do: false
  defp wrong?({:payload, value}), do: not is_map(value)
  defp wrong?({:msg_id, value}), do: not (is_integer(value) and value in 0..@largest_id)
  defp wrong?({:deadline_ms, value}), do: not (is_integer(value) and value in 0..@largest_id)
  defp wrong?({_text, value}), do: not is_binary(value)
end
