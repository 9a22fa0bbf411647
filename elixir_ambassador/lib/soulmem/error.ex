defmodule SoulMem.Error do
  @moduledoc """
  What a failed call returns: `{:error, %SoulMem.Error{}}`, or raised by the `!` functions.

  ## Reasons

  Found on this side:

    * `:not_started` - the `:soulmem` application, or the named instance of it, is not running here.
    * `:no_owner` - no daemon known to this node holds the character (a node with `role: :relay` has none of its own).
    * `:unreachable` - the node that holds the character does not answer.
    * `:daemon_down` - the daemon is not running, not answering yet, or went away before it answered. A write
      that failed so may still have been applied: repeat it with the same `:idempotency_key`.
    * `:deadline` - the time the caller gave has passed, whoever noticed (the daemon's `deadline_exceeded` too).
      The same holds for writes.
    * `:overloaded` - too many requests at once, here, in the relay or in the daemon; or the outbox is full. Nothing was
      done.
    * `:read_only` - this copy of the character is not written to: it lives on another machine now, or more than one
      machine claims it and nobody has chosen yet (`SoulMem.choose/3`). `details["ownership"]` is `handed_over` or
      `contested`. Reads go on.

  Told by the daemon, by the names they have on the wire:

    * `:bad_envelope`, `:unsupported_version`, `:unauthenticated` - the two sides do not understand each other.
    * `:unknown_op` - this daemon does not have the operation (yet).
    * `:unknown_soul` - there is no such character.
    * `:not_found` - there is no such note, link or message.
    * `:invalid_argument` - a field is missing or out of range; `details["field"]` names it.
    * `:conflict` - the thing exists, changed meanwhile, or is owned elsewhere.
    * `:too_large` - frame, text or batch over its limit (this side refuses oversized frames before sending).
    * `:unavailable` - shutting down, or a model that this operation cannot do without is not there.
    * `:storage_full`, `:corrupt` - the disk or the database said so; the character is read-only until it is repaired.
    * `:internal` - a bug in the daemon; its log has the details. Also what an unknown code of a newer daemon becomes,
      with the code in `details["code"]`.

  ## Fields

    * `:reason` - one of the above.
    * `:op`, `:soul` - what was asked, where known.
    * `:detail` - a sentence for humans that says more, or `nil`.
    * `:retryable` - whether the same request may succeed later without anything else changing.
    * `:details` - what the daemon added, a map with string keys.

  """

  @local [:not_started, :no_owner, :unreachable, :daemon_down, :deadline, :overloaded, :read_only]
  @wire [
    :bad_envelope,
    :unsupported_version,
    :unauthenticated,
    :unknown_op,
    :unknown_soul,
    :not_found,
    :invalid_argument,
    :conflict,
    :too_large,
    :unavailable,
    :storage_full,
    :corrupt,
    :internal
  ]
  @reasons @local ++ @wire
  @by_code Map.new(@reasons, &{Atom.to_string(&1), &1})
           |> Map.put("deadline_exceeded", :deadline)

  @retryable [:unreachable, :daemon_down, :deadline, :overloaded, :unavailable]

  @typedoc "Why a call failed; see the module documentation."
  @type reason() ::
          :not_started
          | :no_owner
          | :unreachable
          | :daemon_down
          | :deadline
          | :overloaded
          | :read_only
          | :bad_envelope
          | :unsupported_version
          | :unauthenticated
          | :unknown_op
          | :unknown_soul
          | :not_found
          | :invalid_argument
          | :conflict
          | :too_large
          | :unavailable
          | :storage_full
          | :corrupt
          | :internal

  @typedoc "The exception; see the module documentation for its fields."
  @type t() :: %__MODULE__{
          reason: reason(),
          op: String.t() | nil,
          soul: String.t() | nil,
          detail: String.t() | nil,
          retryable: boolean(),
          details: map()
        }

  defexception [:reason, :op, :soul, :detail, retryable: false, details: %{}]

  @doc """
  An error found on this side.

      iex> SoulMem.Error.new(:daemon_down, op: "push").retryable
      true

  """
  @spec new(reason(), keyword()) :: t()
  def new(reason, fields \\ []) when reason in @reasons do
    struct!(%__MODULE__{reason: reason, retryable: reason in @retryable}, fields)
  end

  @doc """
  The error in the payload of an `err` frame (`code`, `message`, `retryable`, `details`).

      iex> SoulMem.Error.from_wire(%{"code" => "unknown_soul", "message" => "no mei", "retryable" => false}).reason
      :unknown_soul

  """
  @spec from_wire(map(), keyword()) :: t()
  def from_wire(%{"code" => code} = payload, fields \\ []) do
    details = payload["details"] || %{}

    case @by_code do
      # On the wire an owner elsewhere is one conflict among others.
      %{^code => :conflict} when is_map_key(details, "ownership") -> told(:read_only, details, payload, fields)
      %{^code => reason} -> told(reason, details, payload, fields)
      %{} -> told(:internal, Map.put(details, "code", code), payload, fields)
    end
  end

  @doc false
  # Between nodes errors travel as plain maps of the wire's shape, so that releases need not share this struct.
  @spec to_wire(t()) :: map()
  def to_wire(%__MODULE__{} = error) do
    %{
      "code" => Atom.to_string(error.reason),
      "message" => error.detail,
      "retryable" => error.retryable,
      "details" => error.details
    }
  end

  @impl true
  def message(%__MODULE__{} = error) do
    Enum.join([subject(error), sentence(error.reason), detail(error.detail)])
  end

  defp told(reason, details, payload, fields) do
    told = [detail: payload["message"], retryable: payload["retryable"] == true, details: details]
    reason |> new(told) |> struct!(fields)
  end

  defp subject(%{op: nil}), do: ""
  defp subject(%{op: op, soul: nil}), do: "#{op}: "
  defp subject(%{op: op, soul: soul}), do: "#{op} (#{soul}): "

  defp detail(nil), do: ""
  defp detail(detail), do: ": " <> detail

  defp sentence(:not_started), do: "the soulmem application is not running on this node"
  defp sentence(:no_owner), do: "no daemon known to this node holds the character"
  defp sentence(:unreachable), do: "the node that holds the character does not answer"
  defp sentence(:daemon_down), do: "the daemon is down"
  defp sentence(:deadline), do: "the deadline has passed"
  defp sentence(:overloaded), do: "too many requests at once"
  defp sentence(:read_only), do: "this copy of the character is not written to"
  defp sentence(:bad_envelope), do: "the message is not one of the protocol"
  defp sentence(:unsupported_version), do: "the daemon speaks another version of the protocol"
  defp sentence(:unauthenticated), do: "the daemon does not accept the token"
  defp sentence(:unknown_op), do: "the daemon does not have this operation"
  defp sentence(:unknown_soul), do: "there is no such character"
  defp sentence(:not_found), do: "not found"
  defp sentence(:invalid_argument), do: "a field is missing or out of range"
  defp sentence(:conflict), do: "conflict with what is there"
  defp sentence(:too_large), do: "over the size limit"
  defp sentence(:unavailable), do: "the daemon cannot do this at the moment"
  defp sentence(:storage_full), do: "the daemon's disk is full"
  defp sentence(:corrupt), do: "the character's database is damaged"
  defp sentence(:internal), do: "the daemon failed"
end
