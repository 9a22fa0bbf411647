defmodule SoulMem.OutboxTest do
  use ExUnit.Case, async: true

  import SoulMem.FakeServer

  alias SoulMem.{Error, Outbox, Tree}

  @moduletag :tmp_dir
  @moduletag :capture_log

  setup %{tmp_dir: dir} do
    %{box: Path.join(dir, "outbox")}
  end

  test "the owner's answer is the answer, and nothing is left", %{tmp_dir: dir, box: box} do
    {instance, socket, _listener} = Tree.played(dir, outbox_dir: box)
    call = push(instance, "a", 5_000)
    request = read(socket)
    assert %{op: "push", soul: "mei", payload: %{"messages" => [%{"text" => "a"}], "origin" => origin}} = request
    assert %{"id" => <<_::binary-size(32)>>, "seq" => 1} = origin
    assert [_file] = files(box)
    answer(socket, request, %{"ids" => ["1"]})
    assert Task.await(call) == {:ok, %{"ids" => ["1"]}}
    assert files(box) == []
    assert Outbox.report(instance) == %{"waiting" => %{}, "bytes" => 0, "refused" => 0}
  end

  test "what is not answered waits, and goes out in order under the same numbers after a restart", %{
    tmp_dir: dir,
    box: box
  } do
    {instance, socket, _listener} = Tree.played(dir, outbox_dir: box)
    assert {:ok, %{"queued" => true, "origin" => origin, "seq" => 1}} = Task.await(push(instance, "a", 50))
    assert {:ok, %{"queued" => true, "origin" => ^origin, "seq" => 2}} = Task.await(push(instance, "b", 50))
    # The second is not sent before the first is answered.
    assert %{payload: %{"origin" => %{"seq" => 1}}} = first = read(socket)
    assert %{"waiting" => %{"mei" => 2}} = Outbox.report(instance)
    assert {:ok, %{"outbox" => %{"waiting" => %{"mei" => 2}}}} = health(instance, socket)

    stop_supervised!(instance)
    {_instance, socket, _listener} = Tree.played(dir, outbox_dir: box)
    assert %{payload: payload, idempotency_key: key} = again = read(socket)
    assert {payload, key} == {first.payload, first.idempotency_key}
    answer(socket, again, %{"ids" => ["1"]})
    assert %{payload: %{"messages" => [%{"text" => "b"}], "origin" => %{"id" => ^origin, "seq" => 2}}} = read(socket)
  end

  test "every start is another origin", %{tmp_dir: dir, box: box} do
    origins =
      for _start <- 1..2 do
        {instance, _socket, _listener} = Tree.played(dir, outbox_dir: box)
        {:ok, %{"origin" => origin}} = Task.await(push(instance, "a", 20))
        stop_supervised!(instance)
        origin
      end

    assert length(Enum.uniq(origins)) == 2
  end

  test "what fails in passing is sent again; what is refused for good is told, or put aside", %{tmp_dir: dir, box: box} do
    {instance, socket, listener} = Tree.played(dir, outbox_dir: box)
    call = push(instance, "a", 20_000)
    first = read(socket)
    :gen_tcp.close(socket)
    socket = welcome(listener)
    second = read(socket)
    assert {second.payload, second.idempotency_key} == {first.payload, first.idempotency_key}
    refuse(socket, second, "unknown_soul")
    assert {:error, %Error{reason: :unknown_soul}} = Task.await(call, 20_000)

    {:ok, %{"queued" => true}} = Task.await(push(instance, "b", 50))
    refuse(socket, read(socket), "invalid_argument")
    call = push(instance, "c", 5_000)
    request = read(socket)
    assert %{"messages" => [%{"text" => "c"}]} = request.payload
    answer(socket, request, %{"ids" => ["3"]})
    assert {:ok, %{"ids" => ["3"]}} = Task.await(call)
    assert %{"waiting" => waiting, "refused" => 1} = Outbox.report(instance)
    assert waiting == %{}
  end

  test "it is bounded, by number and by size", %{tmp_dir: dir, box: box} do
    {instance, _socket, _listener} = Tree.played(dir, outbox_dir: box, outbox_limit: 2, outbox_bytes: 1_000)
    assert {:error, %Error{reason: :overloaded}} = Task.await(push(instance, String.duplicate("x", 1_001), 100))
    for _push <- 1..2, do: assert({:ok, %{"queued" => true}} = Task.await(push(instance, "a", 20)))
    assert {:error, %Error{reason: :overloaded, detail: detail}} = Task.await(push(instance, "a", 100))
    assert detail =~ "the outbox is full: 2 pushes of"
  end

  test "a file that cannot be read is put aside, and the others go out", %{tmp_dir: dir, box: box} do
    File.mkdir_p!(Path.join(box, "mei"))
    File.write!(Path.join(box, "mei/00000000000000000001.push"), "half a fi")
    File.write!(Path.join(box, "mei/00000000000000000002.push.new"), "never finished")
    {instance, socket, _listener} = Tree.played(dir, outbox_dir: box)
    assert %{"refused" => 1} = Outbox.report(instance)
    call = push(instance, "a", 5_000)
    answer(socket, read(socket), %{"ids" => ["1"]})
    assert {:ok, _payload} = Task.await(call)
    assert files(box) == []
  end

  test "without a folder, and for no character, it is refused by name", %{tmp_dir: dir, box: box} do
    {instance, _socket, _listener} = Tree.played(dir)
    assert {:error, %Error{reason: :not_started, detail: detail}} = Task.await(push(instance, "a", 1_000))
    assert detail =~ "outbox_dir"
    {instance, _socket, _listener} = Tree.played(Path.join(dir, "b") |> tap(&File.mkdir_p!/1), outbox_dir: box)

    for soul <- ["../mei", "", "Mei", String.duplicate("m", 65)] do
      assert {:error, %Error{reason: :invalid_argument}} = SoulMem.push(soul, "a", outbox: true, instance: instance)
    end
  end

  defp push(instance, text, timeout) do
    Task.async(fn -> SoulMem.push("mei", text, outbox: true, instance: instance, timeout: timeout) end)
  end

  defp health(instance, socket) do
    call = Task.async(fn -> SoulMem.health(instance: instance) end)
    answer(socket, read(socket), %{})
    Task.await(call)
  end

  defp files(box), do: Path.wildcard(Path.join(box, "mei/*"))
end
