defmodule SoulMemTest.Doctest do
  use ExUnit.Case, async: true
  doctest SoulMem
  doctest SoulMem.Instance
end

defmodule SoulMemTest do
  use ExUnit.Case, async: true

  import SoulMem.FakeServer

  alias SoulMem.{Error, Tree}

  @moduletag :tmp_dir
  @moduletag :capture_log

  setup %{tmp_dir: dir} do
    {instance, socket, listener} = Tree.played(dir)
    %{instance: instance, socket: socket, listener: listener}
  end

  test "push takes a text, a message or several", %{instance: instance, socket: socket} do
    sent = asked(socket, fn -> SoulMem.push("xiaohong", "你好", instance: instance, name: "阿明") end)
    assert %{op: "push", soul: "xiaohong", idempotency_key: <<_::binary-size(32)>>} = sent
    assert sent.payload == %{"messages" => [%{"role" => "user", "text" => "你好", "name" => "阿明"}]}

    at = ~U[2026-05-02 10:00:00Z]

    sent =
      asked(socket, fn ->
        SoulMem.push(
          "xiaohong",
          [
            %{role: :user, text: "a", at: at},
            %{"role" => "assistant", "text" => "b", "session" => "t"}
          ],
          instance: instance,
          session: "s"
        )
      end)

    assert sent.payload["messages"] == [
             %{"role" => "user", "text" => "a", "at" => "2026-05-02T10:00:00Z", "session" => "s"},
             %{"role" => "assistant", "text" => "b", "session" => "t"}
           ]
  end

  test "retrieve takes text, a query, several, and both", %{instance: instance, socket: socket} do
    sent =
      asked(socket, fn ->
        SoulMem.retrieve("xiaohong", "爬山", instance: instance, limit: 3, walk: [damping: 0.5])
      end)

    assert %{op: "retrieve", soul: "xiaohong"} = sent
    refute is_map_key(sent, :idempotency_key)

    assert sent.payload == %{
             "text" => "爬山",
             "options" => %{"limit" => 3, "walk" => %{"damping" => 0.5}}
           }

    sent =
      asked(socket, fn ->
        SoulMem.retrieve("xiaohong", %{tag: ["a"]}, instance: instance, text: "爬山")
      end)

    assert sent.payload == %{"queries" => [%{"tag" => ["a"]}], "text" => "爬山", "options" => %{}}
  end

  test "the others say what they are called on the wire", %{instance: instance, socket: socket} do
    instance = [instance: instance]

    for {call, op, soul, payload} <- [
          {fn -> SoulMem.consolidate("x", instance) end, "consolidate", "x", %{"wait" => false}},
          {fn -> SoulMem.health(instance) end, "health", nil, %{}},
          {fn -> SoulMem.health("x", instance) end, "health", "x", %{}},
          {fn -> SoulMem.create_soul("x", [display_name: "小红"] ++ instance) end, "soul.create", "x",
           %{"display_name" => "小红"}},
          {fn -> SoulMem.list_souls(instance) end, "soul.list", nil, %{}},
          {fn -> SoulMem.drop_soul("x", [confirm: "x"] ++ instance) end, "soul.drop", "x", %{"confirm" => "x"}},
          {fn -> SoulMem.erase("x", [messages: ["id"]] ++ instance) end, "erase", "x", %{"messages" => ["id"]}},
          {fn -> SoulMem.supersede("x", "a", [new: "b"] ++ instance) end, "note.supersede", "x",
           %{"old" => "a", "new" => "b"}},
          {fn -> SoulMem.put_notes("x", [%{tags: ["a"]}], instance) end, "note.put", "x",
           %{"notes" => [%{"tags" => ["a"]}]}},
          {fn -> SoulMem.get_notes("x", ["id"], instance) end, "note.get", "x", %{"ids" => ["id"]}},
          {fn -> SoulMem.put_links("x", [%{from: "a"}], instance) end, "link.put", "x",
           %{"links" => [%{"from" => "a"}]}},
          {fn -> SoulMem.delete_links("x", ["id"], instance) end, "link.delete", "x", %{"ids" => ["id"]}},
          {fn -> SoulMem.delete_notes("x", ["id"], instance) end, "note.delete", "x", %{"ids" => ["id"]}},
          {fn -> SoulMem.feedback("x", ["id"], -1, instance) end, "feedback", "x", %{"ids" => ["id"], "value" => -1}},
          {fn -> SoulMem.forget("x", [dry_run: true, limit: 5] ++ instance) end, "forget", "x",
           %{"dry_run" => true, "limit" => 5}},
          {fn -> SoulMem.list_messages("x", [limit: 2] ++ instance) end, "message.list", "x", %{"limit" => 2}},
          {fn -> SoulMem.stats("x", instance) end, "stats", "x", %{}},
          {fn -> SoulMem.call("checkpoint", "x", %{}, instance) end, "checkpoint", "x", %{}}
        ] do
      sent = asked(socket, call)
      assert {sent.op, sent[:soul], sent.payload} == {op, soul, payload}
    end
  end

  test "waiting for a consolidation has its own timeout", %{instance: instance, socket: socket} do
    sent = asked(socket, fn -> SoulMem.consolidate("x", wait: true, instance: instance) end)
    assert sent.payload == %{"wait" => true}
    assert sent.deadline_ms in 590_000..600_000
  end

  test "what is not built yet is a proper error, and a raise with !", %{
    instance: instance,
    socket: socket
  } do
    refusing = Task.async(fn -> for _ <- 1..2, do: refuse(socket, read(socket), "unknown_op") end)

    assert {:error, %Error{reason: :unknown_op}} = SoulMem.consolidate("xiaohong", instance: instance)

    assert_raise Error, "health: the daemon does not have this operation: no", fn ->
      SoulMem.health!(instance: instance)
    end

    Task.await(refusing)
  end

  test "what is no message and no query is refused by name", %{instance: instance} do
    for wrong <- [5, nil, :hi, ["hi", 5], [["hi"]], {:user, "hi"}, ~D[2026-05-02]] do
      assert {:error, %Error{reason: :invalid_argument, op: "push", detail: "a message is a text or a map, not " <> _}} =
               SoulMem.push("x", wrong, instance: instance)
    end

    for wrong <- [5, nil, ["hi"], [%{}, 5]] do
      assert {:error,
              %Error{reason: :invalid_argument, op: "retrieve", detail: "a query is a text or a map, not " <> _}} =
               SoulMem.retrieve("x", wrong, instance: instance)
    end
  end

  test "nothing is picked silently of what is given twice", %{instance: instance, socket: socket} do
    both = %{:role => :user, :text => "a", "text" => "b"}
    twice = "text is given twice, as an atom and as text"
    assert {:error, %Error{reason: :invalid_argument, detail: ^twice}} = SoulMem.push("x", both, instance: instance)

    assert {:error, %Error{reason: :invalid_argument, detail: ^twice}} = SoulMem.retrieve("x", both, instance: instance)

    assert {:error, %Error{reason: :invalid_argument, detail: "text is given twice, as the query and" <> _}} =
             SoulMem.retrieve("x", "a", text: "b", instance: instance)

    # What is common to all is no second word: each message's own comes first, whatever its keys are.
    own = %{"role" => "user", "text" => "a", "name" => "Own"}
    sent = asked(socket, fn -> SoulMem.push("x", [own], name: "Common", instance: instance) end)
    assert [%{"name" => "Own"}] = sent.payload["messages"]
  end

  test "options that are no keyword list are refused by name" do
    for call <- [
          fn -> SoulMem.push("x", "hi", %{timeout: 1}) end,
          fn -> SoulMem.retrieve("x", "hi", %{limit: 1}) end,
          fn -> SoulMem.consolidate("x", %{wait: true}) end,
          fn -> SoulMem.subscribe("x", %{events: []}) end,
          fn -> SoulMem.health(%{timeout: 1}) end,
          fn -> SoulMem.stats("x", "timeout") end
        ] do
      assert_raise ArgumentError, ~r/options must be a keyword list/, call
    end
  end

  test "misspelt options are refused", %{instance: instance} do
    assert_raise ArgumentError, fn -> SoulMem.push("x", "hi", instance: instance, sesion: "s") end
    assert_raise ArgumentError, fn -> SoulMem.health(instance: instance, tiemout: 1) end
  end

  test "a retry is the same request with the same key", %{
    instance: instance,
    socket: socket,
    listener: listener
  } do
    call =
      Task.async(fn ->
        SoulMem.push("xiaohong", "hi", instance: instance, retries: 5, timeout: 10_000)
      end)

    first = read(socket)
    :gen_tcp.close(socket)
    socket = welcome(listener)
    second = read(socket)

    assert Map.take(first, [:op, :soul, :payload, :idempotency_key]) ==
             Map.take(second, [:op, :soul, :payload, :idempotency_key])

    assert second.deadline_ms < first.deadline_ms
    answer(socket, second, %{"duplicate" => true})
    assert Task.await(call, 10_000) == {:ok, %{"duplicate" => true}}
  end

  test "without retries the failure is told at once", %{instance: instance, socket: socket} do
    call = Task.async(fn -> SoulMem.push("xiaohong", "hi", instance: instance, retries: 0) end)
    read(socket)
    :gen_tcp.close(socket)

    assert {:error, %Error{reason: :daemon_down, op: "push", soul: "xiaohong", retryable: true}} = Task.await(call)
  end

  test "an instance that does not run is said" do
    assert {:error, %Error{reason: :not_started}} = SoulMem.health(instance: NoSuchInstance)

    assert {:error, %Error{reason: :not_started}} = SoulMem.subscribe("x", instance: NoSuchInstance)

    assert {:error, %Error{reason: :not_started}} = SoulMem.await_ready(instance: NoSuchInstance)
  end

  # What the daemon is asked when that is called; the call must come back with what it is answered.
  defp asked(socket, call) do
    task = Task.async(call)
    request = read(socket)
    answer(socket, request, %{"for" => request.op})
    assert {:ok, payload} = Task.await(task)
    assert Map.delete(payload, "cluster") == %{"for" => request.op}
    request
  end
end
