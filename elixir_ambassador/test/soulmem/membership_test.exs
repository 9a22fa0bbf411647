defmodule SoulMem.MembershipTest do
  use ExUnit.Case, async: true

  import SoulMem.FakeServer

  alias SoulMem.{Announcer, Error, Instance, Membership, Router, Tree}

  @moduletag :tmp_dir
  @moduletag :capture_log

  test "what the command line made or dropped is announced at the next look, what lives elsewhere is not", %{
    tmp_dir: dir
  } do
    {instance, socket, _listener} = Tree.played(dir, announce_interval: 100)
    :ok = Membership.watch(instance)

    answer(socket, next_list(socket), %{
      "souls" => [
        %{"soul" => "mei"},
        %{"soul" => "two", "ownership" => %{"state" => "contested"}},
        %{"soul" => "old", "ownership" => %{"state" => "handed_over"}},
        %{"soul" => "new", "ownership" => %{"state" => "arriving"}}
      ]
    })

    assert_receive {Membership, :found, "two", _node}, 5_000
    assert Enum.sort(Membership.souls(instance)) == ["mei", "two"]
    assert Membership.owners(instance, "mei") == [node()]
    assert Membership.owners(instance, "old") == []

    answer(socket, next_list(socket), %{"souls" => [%{"soul" => "two"}]})
    assert_receive {Membership, :lost, "mei", _node}, 5_000
    assert Membership.souls(instance) == ["two"]
    assert Membership.lost_owner(instance, "mei") == {:ok, node()}
    # Whoever had it last is asked: it knows best.
    assert Router.owner(instance, "mei") == {:ok, node()}
  end

  test "between the end of an owner and hearing of it, the owner is lost and not unknown", %{tmp_dir: dir} do
    {instance, _socket, _listener} = Tree.played(dir)
    membership = Instance.process(instance, Membership)
    :ok = Announcer.changed(instance, :made, "mei")
    until(fn -> Membership.owners(instance, "mei") == [node()] end)
    :ok = Membership.watch(instance)
    assert Membership.lost_owner(instance, "mei") == :error
    :sys.suspend(membership)
    :ok = Announcer.changed(instance, :gone, "mei")
    until(fn -> Membership.owners(instance, "mei") == [] end)
    assert Membership.lost_owner(instance, "mei") == {:ok, node()}
    :sys.resume(membership)
    assert_receive {Membership, :lost, "mei", _node}, 5_000
    assert Membership.lost_owner(instance, "mei") == {:ok, node()}
  end

  test "what is made and dropped by way of this node is announced at once", %{tmp_dir: dir} do
    {instance, socket, _listener} = Tree.played(dir)
    call = Task.async(fn -> SoulMem.create_soul("mei", instance: instance) end)
    answer(socket, read(socket), %{"soul" => "mei"})
    assert {:ok, _payload} = Task.await(call)
    assert Membership.owners(instance, "mei") == [node()]

    call = Task.async(fn -> SoulMem.call("soul.drop", "mei", %{confirm: "mei"}, instance: instance) end)
    answer(socket, read(socket), %{})
    assert {:ok, _payload} = Task.await(call)
    assert Membership.owners(instance, "mei") == []
  end

  test "the daemon's restart is no end of ownership; that of the application is", %{tmp_dir: dir} do
    {instance, socket, listener} = Tree.played(dir)
    :ok = Announcer.changed(instance, :made, "mei")
    :gen_tcp.close(socket)
    assert Membership.owners(instance, "mei") == [node()]
    _socket = welcome(listener)
    :ok = SoulMem.await_ready(instance: instance)
    # The greeting of this daemon names no characters.
    until(fn -> Membership.owners(instance, "mei") == [] end)
    stop_supervised!(instance)
    assert Membership.owners(instance, "mei") == []
    assert Membership.lost_owner(instance, "mei") == :error
  end

  test "a relay knows nobody until it hears of somebody" do
    instance = Tree.start(role: :relay)
    assert Router.owner(instance, "mei") == {:error, :no_owner}
    assert {:error, %Error{reason: :no_owner}} = SoulMem.push("mei", "hi", instance: instance)
    assert {:ok, %{"cluster" => %{"owners" => owners}}} = SoulMem.health(instance: instance)
    assert owners == %{}
  end

  # Others may be asked between two looks.
  defp next_list(socket) do
    case read(socket) do
      %{op: "soul.list"} = request -> request
      _other -> next_list(socket)
    end
  end

  defp until(condition, tries \\ 500) do
    unless condition.() do
      assert tries > 0
      Process.sleep(10)
      until(condition, tries - 1)
    end
  end
end
