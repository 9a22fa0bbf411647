defmodule SoulMem.RequestTest do
  use ExUnit.Case, async: true
  doctest SoulMem.Payload

  alias SoulMem.{Error, MessagePack, Options, Request}

  test "what is natural in Elixir becomes what is of the wire" do
    at = DateTime.new!(~D[2026-05-02], ~T[10:00:00], "Etc/UTC")

    payload = %{
      messages: [%{role: :user, text: "你好", at: at, name: nil}],
      options: [limit: 3],
      raw: {:bin, <<0xFF>>}
    }

    assert {:ok, request} = Request.new("push", "xiaohong", payload, options())

    assert MessagePack.unpack(request.payload) ==
             {:ok,
              %{
                "messages" => [
                  %{"role" => "user", "text" => "你好", "at" => "2026-05-02T10:00:00Z"}
                ],
                "options" => %{"limit" => 3},
                "raw" => {:bin, <<0xFF>>}
              }}
  end

  test "what cannot cross is refused before it is sent" do
    assert {:error, %Error{reason: :invalid_argument, op: "push", soul: "xiaohong"} = error} =
             Request.new("push", "xiaohong", %{text: <<0xFF>>}, options())

    assert Exception.message(error) =~ "cannot be put on the wire (utf8)"

    assert {:error, %Error{reason: :invalid_argument}} = Request.new("push", "x", %{pid: self()}, options())
  end

  test "names that are not text are refused too, wherever they come from" do
    for soul <- [:xiaohong, <<0xFF>>, 7] do
      assert {:error, %Error{reason: :invalid_argument}} = Request.new("push", soul, %{}, options())
    end

    {:ok, request} = Request.new("push", "xiaohong", %{}, options())
    remote = Request.to_remote(request)

    for bad <- [%{remote | op: <<0xFF>>}, %{remote | soul: :xiaohong}, %{remote | idempotency_key: 1}] do
      assert {:error, %Error{reason: :bad_envelope}} = Request.from_remote(bad)
    end
  end

  test "lists of bytes are no keyword list" do
    {:ok, request} = Request.new("x", nil, %{bytes: [{:bin, <<1>>}, {:bin, <<2>>}], empty: []}, options())
    assert MessagePack.unpack(request.payload) == {:ok, %{"bytes" => [{:bin, <<1>>}, {:bin, <<2>>}], "empty" => []}}
  end

  test "a write has a key from its beginning, each its own; a read has none" do
    {:ok, first} = Request.new("push", "xiaohong", %{}, options())
    {:ok, second} = Request.new("push", "xiaohong", %{}, options())
    {:ok, given} = Request.new("push", "xiaohong", %{}, options(idempotency_key: "mine"))
    {:ok, read} = Request.new("retrieve", "xiaohong", %{}, options())

    assert byte_size(first.idempotency_key) == 32
    assert first.idempotency_key != second.idempotency_key
    assert given.idempotency_key == "mine"
    assert read.idempotency_key == nil
  end

  test "travels as a plain map, with the time that remains" do
    {:ok, request} = Request.new("push", "xiaohong", %{a: 1}, options(timeout: 60_000))
    remote = Request.to_remote(request)

    assert %{v: 1, op: "push", soul: "xiaohong", deadline_ms: remaining} = remote
    assert remaining in 1..60_000
    refute is_struct(remote)

    assert {:ok, arrived} = Request.from_remote(remote)
    assert Map.delete(arrived, :deadline) == Map.delete(request, :deadline)

    # A deadline that no timer of this node holds would end the connection that sets it.
    assert {:ok, patient} = Request.from_remote(%{remote | deadline_ms: Integer.pow(10, 20)})
    assert Request.remaining_ms(patient) <= 604_800_000
    assert {:error, %Error{reason: :unsupported_version}} = Request.from_remote(%{remote | v: 2})
    assert {:error, %Error{reason: :bad_envelope}} = Request.from_remote(:hello)
    assert {:error, %Error{reason: :bad_envelope}} = Request.from_remote(%{remote | payload: %{}})
  end

  defp options(given \\ []), do: Options.call!(given)
end
