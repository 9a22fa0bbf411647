defmodule SoulMem.OutboxTest do
  use ExUnit.Case, async: true

  import SoulMem.FakeServer

  alias SoulMem.{Error, MessagePack, Outbox, Tree}

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

  test "repeated under its key it is the push that waits, also after a restart; another one is a conflict", %{
    tmp_dir: dir,
    box: box
  } do
    {instance, socket, _listener} = Tree.played(dir, outbox_dir: box)
    first = push(instance, "a", 20_000, "key-1")
    assert %{idempotency_key: "key-1"} = sent = read(socket)
    # Who comes second may wait for less, or for the answer too.
    assert {:ok, %{"queued" => true, "origin" => origin, "seq" => 1}} = Task.await(push(instance, "a", 50, "key-1"))
    second = push(instance, "a", 20_000, "key-1")
    assert {:error, %Error{reason: :conflict, detail: detail}} = Task.await(push(instance, "b", 5_000, "key-1"))
    assert detail =~ "key-1"
    assert %{"waiting" => %{"mei" => 1}} = Outbox.report(instance)
    answer(socket, sent, %{"ids" => ["1"]})
    assert [Task.await(first), Task.await(second)] == List.duplicate({:ok, %{"ids" => ["1"]}}, 2)

    # It is gone: its owner knows the key, whatever number it has now.
    {:ok, %{"queued" => true, "seq" => 2}} = Task.await(push(instance, "a", 50, "key-1"))
    assert %{idempotency_key: "key-1", payload: %{"origin" => %{"id" => ^origin, "seq" => 2}}} = read(socket)
    stop_supervised!(instance)
    {instance, socket, _listener} = Tree.played(dir, outbox_dir: box)
    assert {:ok, %{"origin" => ^origin, "seq" => 2}} = Task.await(push(instance, "a", 50, "key-1"))
    assert {:error, %Error{reason: :conflict}} = Task.await(push(instance, "b", 5_000, "key-1"))
    assert [_file] = files(box)
    assert %{idempotency_key: "key-1", payload: %{"origin" => %{"id" => ^origin, "seq" => 2}}} = read(socket)
  end

  @tag :daemon
  test "repeated under its key when it has arrived it is there once, also from a later start", %{tmp_dir: dir, box: box} do
    for start <- 1..2 do
      instance = Tree.real(dir, outbox_dir: box)
      options = [instance: instance]
      if start == 1, do: SoulMem.create_soul!("mei", options)
      first = SoulMem.push!("mei", "a", [outbox: true, idempotency_key: "key-1"] ++ options)
      again = SoulMem.push!("mei", "a", [idempotency_key: "key-1"] ++ options)
      other = SoulMem.push("mei", "b", [outbox: true, idempotency_key: "key-1"] ++ options)
      assert {first["duplicate"], again["duplicate"], again["ids"]} == {start == 2, true, first["ids"]}
      assert {:error, %Error{reason: :conflict}} = other
      assert [%{"text" => "a"}] = SoulMem.list_messages!("mei", options)["messages"]
      stop_supervised!(instance)
    end
  end

  test "a full outbox still knows what waits in it", %{tmp_dir: dir, box: box} do
    {instance, _socket, _listener} = Tree.played(dir, outbox_dir: box, outbox_limit: 1)
    assert {:ok, %{"queued" => true} = kept} = Task.await(push(instance, "a", 20, "key-1"))
    assert {:ok, ^kept} = Task.await(push(instance, "a", 20, "key-1"))
    assert {:error, %Error{reason: :overloaded}} = Task.await(push(instance, "a", 20, "key-2"))
  end

  test "what an earlier version kept without a key goes out under the key that it had then", %{tmp_dir: dir, box: box} do
    {:ok, messages} = MessagePack.pack(%{"messages" => [%{"role" => "user", "text" => "a"}]})
    kept = %{"origin" => "before", "seq" => 7, "soul" => "mei", "messages" => {:bin, messages}}
    {:ok, bytes} = MessagePack.pack(kept)
    File.mkdir_p!(Path.join(box, "mei"))
    File.write!(Path.join(box, "mei/00000000000000000007.push"), bytes)
    {_instance, socket, _listener} = Tree.played(dir, outbox_dir: box)
    assert %{idempotency_key: "outbox-before-7", payload: %{"origin" => %{"id" => "before", "seq" => 7}}} = read(socket)
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

  test "without a folder, for no character and for one node, it is refused by name", %{tmp_dir: dir, box: box} do
    {instance, _socket, _listener} = Tree.played(dir)
    assert {:error, %Error{reason: :not_started, detail: detail}} = Task.await(push(instance, "a", 1_000))
    assert detail =~ "outbox_dir"
    {instance, _socket, _listener} = Tree.played(Path.join(dir, "b") |> tap(&File.mkdir_p!/1), outbox_dir: box)

    for soul <- ["../mei", "", "Mei", String.duplicate("m", 65)] do
      assert {:error, %Error{reason: :invalid_argument}} = SoulMem.push(soul, "a", outbox: true, instance: instance)
    end

    addressed = SoulMem.push("mei", "a", outbox: true, instance: instance, node: node())
    assert {:error, %Error{reason: :invalid_argument, detail: "`node` and `outbox`" <> _}} = addressed
  end

  defp push(instance, text, timeout, key \\ nil) do
    options = [outbox: true, instance: instance, timeout: timeout] ++ if(key, do: [idempotency_key: key], else: [])
    Task.async(fn -> SoulMem.push("mei", text, options) end)
  end

  defp health(instance, socket) do
    call = Task.async(fn -> SoulMem.health(instance: instance) end)
    answer(socket, read(socket), %{})
    Task.await(call)
  end

  defp files(box), do: Path.wildcard(Path.join(box, "mei/*"))
end
