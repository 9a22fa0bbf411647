defmodule SoulMem.AmbassadorTest do
  use ExUnit.Case, async: true

  import SoulMem.FakeServer

  alias SoulMem.{Ambassador, Error, Instance, Options, Request, Tree}

  @moduletag :tmp_dir
  @moduletag :capture_log

  test "passes a plain map on to the daemon and its answer back", %{tmp_dir: dir} do
    {instance, socket, _listener} = Tree.played(dir)

    call =
      Task.async(fn ->
        GenServer.call(
          Instance.process(instance, Ambassador),
          remote("push", idempotency_key: "k")
        )
      end)

    assert %{op: "push", soul: "xiaohong", payload: %{"a" => 1}, idempotency_key: "k"} = request = read(socket)

    answer(socket, request, %{"ids" => []})
    assert Task.await(call) == %{v: 1, ok: %{"ids" => []}}
  end

  test "errors travel as plain maps", %{tmp_dir: dir} do
    {instance, socket, _listener} = Tree.played(dir)
    call = Task.async(fn -> Ambassador.call(node(), instance, request("consolidate")) end)
    refuse(socket, read(socket), "unknown_op")

    assert {:error, %Error{reason: :unknown_op, op: "consolidate", soul: "xiaohong"}} = Task.await(call)
  end

  test "never waits for the daemon itself", %{tmp_dir: dir} do
    {instance, socket, _listener} = Tree.played(dir)
    slow = Task.async(fn -> Ambassador.call(node(), instance, request("slow")) end)
    slow_request = read(socket)
    quick = Task.async(fn -> Ambassador.call(node(), instance, request("quick")) end)
    answer(socket, read(socket), %{"quick" => true})
    assert Task.await(quick) == {:ok, %{"quick" => true}}
    answer(socket, slow_request, %{})
    assert Task.await(slow) == {:ok, %{}}
  end

  test "what a node asked that is gone ends, unless it writes", %{tmp_dir: dir} do
    {instance, socket, _listener} = Tree.played(dir)
    ambassador = Tree.process(instance, Ambassador)
    test = self()

    # Two calls of a process here; then its node is said to be gone.
    for op <- ["retrieve", "push"] do
      spawn_link(fn -> send(test, {op, GenServer.call(ambassador, remote(op))}) end)
    end

    [push, _retrieve] = [read(socket), read(socket)] |> Enum.sort_by(& &1.op)
    send(ambassador, {:nodedown, node()})
    assert_receive {"retrieve", %{error: %{"code" => "internal"}}}, 5_000
    answer(socket, push, %{"ids" => []})
    assert_receive {"push", %{ok: %{"ids" => []}}}, 5_000
  end

  test "past the relay's cap it refuses at once", %{tmp_dir: dir} do
    {instance, socket, _listener} = Tree.played(dir, relay_limit: 1)
    first = Task.async(fn -> Ambassador.call(node(), instance, request("slow")) end)
    slow = read(socket)

    assert {:error, %Error{reason: :overloaded, retryable: true}} = Ambassador.call(node(), instance, request("b"))

    answer(socket, slow, %{})
    assert Task.await(first) == {:ok, %{}}
  end

  test "a task that fails is told to who asked", %{tmp_dir: dir} do
    {instance, socket, _listener} = Tree.played(dir)
    call = Task.async(fn -> Ambassador.call(node(), instance, request("slow")) end)
    read(socket)
    [task] = Task.Supervisor.children(Instance.process(instance, SoulMem.Relay))
    Process.exit(task, :kill)
    assert {:error, %Error{reason: :internal, detail: "the relay failed"}} = Task.await(call)
  end

  test "what expired on the way does not reach the daemon", %{tmp_dir: dir} do
    {instance, socket, _listener} = Tree.played(dir)
    ambassador = Instance.process(instance, Ambassador)

    assert %{error: %{"code" => "deadline"}} = GenServer.call(ambassador, %{remote("push") | deadline_ms: 0})

    call = Task.async(fn -> Ambassador.call(node(), instance, request("next")) end)
    assert %{op: "next"} = next = read(socket)
    answer(socket, next, %{})
    assert Task.await(call) == {:ok, %{}}
  end

  test "what it does not understand it says so", %{tmp_dir: dir} do
    {instance, _socket, _listener} = Tree.played(dir)
    ambassador = Instance.process(instance, Ambassador)

    assert %{v: 1, error: %{"code" => "unsupported_version"}} = GenServer.call(ambassador, %{remote("push") | v: 9})

    assert %{v: 1, error: %{"code" => "bad_envelope"}} = GenServer.call(ambassador, "push")
  end

  test "a relay has no daemon; a node that is not there cannot be reached" do
    instance = Tree.start(role: :relay)

    assert {:error, %Error{reason: :no_owner}} = Ambassador.call(node(), instance, request("push"))

    assert {:error, %Error{reason: :unreachable}} = Ambassador.call(:nobody@nowhere, instance, request("push"))

    assert {:error, %Error{reason: :unreachable}} = Ambassador.call(node(), NoSuchInstance, request("push"))
  end

  defp request(op, options \\ []) do
    {:ok, request} = Request.new(op, "xiaohong", %{a: 1}, Options.call!(options))
    request
  end

  defp remote(op, options \\ []), do: op |> request(options) |> Request.to_remote()
end
