defmodule SoulMem.Request do
  @moduledoc false
  # One call on its way. It is complete where it began: payload packed (and refused there if it cannot be),
  # deadline fixed, and for a write the idempotency key made, so that whatever retries or relays it later
  # says the same thing again.

  alias SoulMem.{Error, MessagePack, Options, Payload}

  @enforce_keys [:op, :payload, :deadline]
  defstruct [:op, :soul, :payload, :deadline, :idempotency_key]

  @typedoc "`payload` is packed; `deadline` is on this node's monotonic clock, in milliseconds."
  @type t() :: %__MODULE__{
          op: String.t(),
          soul: String.t() | nil,
          payload: binary(),
          deadline: integer(),
          idempotency_key: String.t() | nil
        }

  @writes ~w(
    push feedback consolidate forget checkpoint erase import
    soul.create soul.drop note.put note.supersede note.delete link.put link.delete
  )

  @remote_version 1

  @spec new(String.t(), String.t() | nil, map(), keyword()) :: {:ok, t()} | {:error, Error.t()}
  def new(op, soul, payload, options) do
    with {:ok, wire} <- Payload.wire(payload),
         {:ok, packed} <- MessagePack.pack(wire),
         request = build(op, soul, packed, options),
         true <- text?(request) do
      {:ok, request}
    else
      {:error, {:twice, key}} -> {:error, refused(op, soul, "#{key} is given twice, as an atom and as text")}
      {:error, {_code, rule}} -> {:error, refused(op, soul, "the payload cannot be put on the wire (#{rule})")}
      false -> {:error, refused(nil, nil, "operation, character and idempotency key must be text")}
    end
  end

  @spec remaining_ms(t()) :: integer()
  def remaining_ms(%__MODULE__{deadline: deadline}), do: deadline - now()

  @doc "Whether it changes anything."
  @spec write?(t()) :: boolean()
  def write?(%__MODULE__{op: op}), do: op in @writes

  @spec expired?(t()) :: boolean()
  def expired?(request), do: remaining_ms(request) <= 0

  @doc "As it travels to another node: a plain map with a version, the deadline as what remains of it."
  @spec to_remote(t()) :: map()
  def to_remote(%__MODULE__{} = request) do
    %{
      v: @remote_version,
      op: request.op,
      soul: request.soul,
      payload: request.payload,
      deadline_ms: remaining_ms(request),
      idempotency_key: request.idempotency_key
    }
  end

  @spec from_remote(term()) :: {:ok, t()} | {:error, Error.t()}
  def from_remote(%{v: @remote_version, op: op, payload: payload, deadline_ms: remaining} = remote)
      when is_binary(op) and is_binary(payload) and is_integer(remaining) do
    request = %__MODULE__{
      op: op,
      soul: remote[:soul],
      payload: payload,
      deadline: now() + min(remaining, Options.longest_timeout()),
      idempotency_key: remote[:idempotency_key]
    }

    if text?(request),
      do: {:ok, request},
      else: {:error, Error.new(:bad_envelope, detail: "a relayed name is not text")}
  end

  def from_remote(%{v: version}) when version != @remote_version do
    {:error, Error.new(:unsupported_version, detail: "this node relays version #{@remote_version}")}
  end

  def from_remote(_other), do: {:error, Error.new(:bad_envelope, detail: "not a relayed request")}

  defp build(op, soul, packed, options) do
    %__MODULE__{
      op: op,
      soul: soul,
      payload: packed,
      deadline: now() + options[:timeout],
      idempotency_key: options[:idempotency_key] || new_key(op)
    }
  end

  defp new_key(op) when op in @writes, do: Base.encode16(:crypto.strong_rand_bytes(16), case: :lower)

  defp new_key(_op), do: nil

  # The connection writes these into an envelope, and must not fail over one caller's.
  defp text?(request) do
    Enum.all?([request.op, request.soul || "", request.idempotency_key || ""], &(is_binary(&1) and String.valid?(&1)))
  end

  defp refused(op, soul, detail), do: Error.new(:invalid_argument, op: op, soul: soul, detail: detail)

  defp now, do: System.monotonic_time(:millisecond)
end
