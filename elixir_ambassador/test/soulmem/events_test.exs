defmodule SoulMem.EventsTest do
  use ExUnit.Case, async: true

  import SoulMem.FakeServer

  alias SoulMem.{Error, Tree}

  @moduletag :tmp_dir
  @moduletag :capture_log

  setup %{tmp_dir: dir} do
    {instance, socket, listener} = Tree.played(dir)
    %{instance: instance, socket: socket, listener: listener}
  end

  test "a subscriber is told what it asked for, of whom it asked", %{
    instance: instance,
    socket: socket
  } do
    subscribe(instance, socket, "xiaohong", [:state])
    event(socket, "note.changed", "xiaohong", %{})
    event(socket, "state", "tom", %{})
    event(socket, "state", "xiaohong", %{"state" => "Idle"})
    assert_receive {:soulmem, told}, 5_000
    assert told == %{event: "state", soul: "xiaohong", payload: %{"state" => "Idle"}}
    refute_received {:soulmem, _more}
  end

  test "the daemon is asked for what anyone wants, and for less when nobody does", %{
    instance: instance,
    socket: socket
  } do
    assert subscribe(instance, socket, "xiaohong", ["state"]) == ["state"]

    other =
      Task.async(fn ->
        assert SoulMem.subscribe("xiaohong", events: ["state", "consolidated"], instance: instance) ==
                 :ok

        receive do: (:leave -> :ok)
      end)

    assert %{op: "subscribe", payload: %{"events" => ["consolidated", "state"]}} = request = read(socket)

    answer(socket, request, %{})
    send(other.pid, :leave)
    Task.await(other)

    assert %{op: "unsubscribe", soul: "xiaohong", payload: %{"events" => ["consolidated"]}} = request = read(socket)

    answer(socket, request, %{})

    leave = in_background(fn -> answer_next(socket, "unsubscribe") end)
    assert SoulMem.unsubscribe("xiaohong", instance: instance) == :ok
    assert Task.await(leave) == ["state"]
    assert SoulMem.unsubscribe("xiaohong", instance: instance) == :ok
  end

  test "what the daemon refuses is not subscribed", %{instance: instance, socket: socket} do
    refusing = in_background(fn -> refuse(socket, read(socket), "unknown_soul") end)

    assert {:error, %Error{reason: :unknown_soul, soul: "nobody"}} = SoulMem.subscribe("nobody", instance: instance)

    Task.await(refusing)
    event(socket, "state", "nobody", %{})
    subscribe(instance, socket, "xiaohong", [:state])
    event(socket, "state", "xiaohong", %{})
    assert_receive {:soulmem, %{soul: "xiaohong"}}, 5_000
    refute_received {:soulmem, _more}
  end

  test "losing the daemon is told, and its return once it tells again", %{
    instance: instance,
    socket: socket,
    listener: listener
  } do
    subscribe(instance, socket, "xiaohong", [:state])
    :gen_tcp.close(socket)
    assert_receive {:soulmem, %{event: "owner_lost", soul: "xiaohong"}}, 5_000

    socket = welcome(listener)

    assert %{op: "subscribe", soul: "xiaohong", payload: %{"events" => ["state"]}} = request = read(socket)

    refute_received {:soulmem, %{event: "owner_back"}}
    answer(socket, request, %{})
    assert_receive {:soulmem, %{event: "owner_back", soul: "xiaohong"}}, 5_000
    event(socket, "state", "xiaohong", %{})
    assert_receive {:soulmem, %{event: "state"}}, 5_000
  end

  test "a gap is told whatever was asked for", %{instance: instance, socket: socket} do
    subscribe(instance, socket, "xiaohong", [:state])
    event(socket, "lagged", "xiaohong", %{"dropped" => 3})
    assert_receive {:soulmem, %{event: "lagged", payload: %{"dropped" => 3}}}, 5_000
  end

  # The test process is the subscriber, so the daemon's part is played beside it.
  defp subscribe(instance, socket, soul, events) do
    answering = in_background(fn -> answer_next(socket, "subscribe") end)
    assert SoulMem.subscribe(soul, events: events, instance: instance) == :ok
    Task.await(answering)
  end

  defp answer_next(socket, op) do
    assert %{op: ^op, payload: %{"events" => events}} = request = read(socket)
    answer(socket, request, %{})
    events
  end

  defp in_background(fun), do: Task.async(fun)
end
