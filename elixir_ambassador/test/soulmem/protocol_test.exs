defmodule SoulMem.ProtocolTest do
  use ExUnit.Case, async: true

  alias SoulMem.{MessagePack, Options, Protocol, Request}

  test "a request carries what applies and nothing else" do
    {:ok, request} = Request.new("ping", nil, %{}, Options.call!(timeout: 60_000))
    {:ok, envelope} = 7 |> Protocol.request(request) |> MessagePack.unpack()

    assert %{"v" => 1, "kind" => "req", "msg_id" => 7, "op" => "ping", "payload" => %{}} = envelope

    assert envelope["deadline_ms"] in 1..60_000
    assert map_size(envelope) == 6
  end

  test "a deadline that passed on the way is zero, not negative" do
    {:ok, request} = Request.new("ping", nil, %{}, Options.call!([]))

    {:ok, message} = 1 |> Protocol.request(%{request | deadline: request.deadline - 10_000}) |> Protocol.decode()

    assert message.deadline_ms == 0
  end

  test "reads each kind, ignoring keys it does not know" do
    assert {:ok, %{kind: :res, msg_id: 1, payload: %{"a" => 1}}} =
             decode(%{"kind" => "res", "msg_id" => 1, "payload" => %{"a" => 1}})

    assert {:ok, %{kind: :err, payload: %{}} = without_id} = decode(%{"kind" => "err"})
    refute is_map_key(without_id, :msg_id)

    assert {:ok, %{kind: :event, op: "state", soul: "mei"}} =
             decode(%{"kind" => "event", "op" => "state", "soul" => "mei"})

    assert {:ok, message} =
             decode(%{
               "kind" => "res",
               "msg_id" => 1,
               "plugin" => "x",
               "new" => [1],
               "soul" => nil
             })

    assert message == %{kind: :res, msg_id: 1, payload: %{}}
  end

  test "refuses what is not an envelope" do
    for {change, detail} <- [
          {%{"v" => nil}, :v},
          {%{"v" => "1"}, :v},
          {%{"kind" => "reply"}, :kind},
          {%{"msg_id" => nil}, :msg_id},
          {%{"msg_id" => -1}, :msg_id},
          {%{"msg_id" => "1"}, :msg_id},
          {%{"op" => 1}, :op},
          {%{"payload" => []}, :payload},
          {%{"deadline_ms" => 1.0}, :deadline_ms}
        ] do
      assert decode(Map.merge(%{"kind" => "res", "msg_id" => 1}, change)) ==
               {:error, {:bad_envelope, detail}}
    end

    assert decode(%{"v" => 2, "kind" => "res", "msg_id" => 1}) ==
             {:error, {:unsupported_version, :v}}

    assert decode(%{"kind" => "event"}) == {:error, {:bad_envelope, :op}}

    assert {:error, {:bad_envelope, :v}} = [1] |> MessagePack.pack() |> elem(1) |> Protocol.decode()

    assert {:error, {:bad_envelope, :reserved}} = Protocol.decode(<<0xC1>>)
  end

  defp decode(envelope) do
    {:ok, frame} = %{"v" => 1} |> Map.merge(envelope) |> MessagePack.pack()
    Protocol.decode(frame)
  end
end
