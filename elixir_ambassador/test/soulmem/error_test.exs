defmodule SoulMem.ErrorTest do
  use ExUnit.Case, async: true
  doctest SoulMem.Error

  alias SoulMem.Error

  # The codes of the protocol with whether they may be retried.
  @wire [
    {"bad_envelope", false, :bad_envelope},
    {"unsupported_version", false, :unsupported_version},
    {"unauthenticated", false, :unauthenticated},
    {"unknown_op", false, :unknown_op},
    {"unknown_soul", false, :unknown_soul},
    {"not_found", false, :not_found},
    {"invalid_argument", false, :invalid_argument},
    {"conflict", false, :conflict},
    {"too_large", false, :too_large},
    {"overloaded", true, :overloaded},
    {"deadline_exceeded", true, :deadline},
    {"unavailable", true, :unavailable},
    {"storage_full", false, :storage_full},
    {"corrupt", false, :corrupt},
    {"internal", false, :internal}
  ]

  test "every code of the wire has its reason, and travels on to other nodes" do
    for {code, retryable, reason} <- @wire do
      payload = %{
        "code" => code,
        "message" => "so it is",
        "retryable" => retryable,
        "details" => %{"field" => "text"}
      }

      error = Error.from_wire(payload, op: "push", soul: "xiaohong")

      assert %Error{
               reason: ^reason,
               retryable: ^retryable,
               detail: "so it is",
               details: %{"field" => "text"}
             } = error

      assert error |> Error.to_wire() |> Error.from_wire(op: "push", soul: "xiaohong") == error
      assert error.retryable == Error.new(reason).retryable
    end
  end

  test "a conflict over who owns the character has a reason of its own, here and on other nodes" do
    details = %{"ownership" => "contested"}
    payload = %{"code" => "conflict", "message" => "two", "retryable" => false, "details" => details}
    error = Error.from_wire(payload)
    assert %Error{reason: :read_only, retryable: false, details: ^details} = error
    assert error |> Error.to_wire() |> Error.from_wire() == error
    assert %Error{reason: :conflict} = Error.from_wire(%{payload | "details" => %{"field" => "id"}})
  end

  test "a code of the future is internal and keeps its name" do
    error = Error.from_wire(%{"code" => "tired", "message" => "asleep", "retryable" => true})
    assert %Error{reason: :internal, retryable: true, details: %{"code" => "tired"}} = error
  end

  test "says what was asked, what went wrong, and more where there is more" do
    assert Exception.message(Error.new(:daemon_down)) == "the daemon is down"

    error = Error.new(:daemon_down, op: "push", soul: "xiaohong", detail: "it was ended by signal 9")

    assert Exception.message(error) ==
             "push (xiaohong): the daemon is down: it was ended by signal 9"

    assert Exception.message(Error.new(:deadline, op: "health")) ==
             "health: the deadline has passed"

    assert Exception.message(Error.new(:no_owner)) ==
             "no daemon known to this node holds the character"
  end

  test "every reason has a sentence, none twice" do
    reasons =
      [:not_started, :no_owner, :unreachable, :daemon_down, :read_only] ++
        for({_code, _retryable, reason} <- @wire, do: reason)

    sentences = for reason <- reasons, do: Exception.message(Error.new(reason))
    assert sentences == Enum.uniq(sentences)
  end
end
