defmodule SoulMem.ClusterTest do
  use ExUnit.Case, async: true

  import SoulMem.BeamNode

  alias SoulMem.{Error, Listener}

  @moduletag :daemon
  @moduletag :tmp_dir
  @moduletag :capture_log

  @patience 20_000

  test "any node reaches a character wherever it lives, without saying where", %{tmp_dir: dir} do
    {desktop, desktop_node} = owner(Path.join(dir, "desktop"))
    {laptop, laptop_node} = owner(Path.join(dir, "laptop"), nodes: [desktop_node])
    {relay, _relay_node} = start(role: :relay, nodes: [desktop_node, laptop_node])

    for {peer, soul} <- [{desktop, "mei"}, {laptop, "tom"}] do
      assert {:ok, %{"soul" => ^soul}} = call(peer, SoulMem, :create_soul, [soul])
    end

    for peer <- [desktop, laptop, relay], soul <- ["mei", "tom"] do
      await_owner(peer, soul)
      text = "#{soul} hears of #{inspect(peer)}"
      assert {:ok, %{"ids" => [id]}} = call(peer, SoulMem, :push, [soul, text])
      assert {:ok, %{"utterances" => said}} = call(peer, SoulMem, :retrieve, [soul, text])
      assert id in for(hit <- said, do: hit["id"])
    end

    assert {:ok, %{"souls" => [%{"soul" => "mei"}], "cluster" => cluster}} = call(relay, SoulMem, :health, ["mei"])
    assert cluster["node"] == Atom.to_string(desktop_node)

    assert cluster["owners"] == %{
             "mei" => [Atom.to_string(desktop_node)],
             "tom" => [Atom.to_string(laptop_node)]
           }

    assert {:error, %Error{reason: :conflict, detail: detail}} = call(laptop, SoulMem, :create_soul, ["mei"])
    assert detail == "it lives on #{desktop_node}"
    assert {:error, %Error{reason: :unknown_soul}} = call(laptop, SoulMem, :stats, ["nobody"])
    assert {:error, %Error{reason: :no_owner}} = call(relay, SoulMem, :stats, ["nobody"])
  end

  test "a node that is gone is unreachable until it is back, under its name", %{tmp_dir: dir} do
    {first, node} = owner(dir, name: 'soulmem-returns')
    {:ok, _soul} = call(first, SoulMem, :create_soul, ["mei"])
    {relay, _node} = start(role: :relay, nodes: [node], discovery_backoff: [min: 10, max: 100])
    await_owner(relay, "mei")
    assert {:ok, _payload} = call(relay, SoulMem, :push, ["mei", "vorher"])

    stop(first)

    assert {:error, %Error{reason: :unreachable, soul: "mei", retryable: true}} =
             call(relay, SoulMem, :push, ["mei", "dazwischen", [timeout: 1_000]])

    assert {:ok, %{"cluster" => %{"unreachable" => unreachable}}} = call(relay, SoulMem, :health, [])
    assert unreachable == %{"mei" => Atom.to_string(node)}

    {_second, ^node} = owner(dir, name: 'soulmem-returns')
    # One call, made while it is not yet known that the node is back, is answered when it is.
    options = [timeout: @patience, retries: 1_000]
    assert {:ok, %{"messages" => [%{"text" => "vorher"}]}} = call(relay, SoulMem, :list_messages, ["mei", options])
  end

  test "a node can be named, with nothing else known of it", %{tmp_dir: dir} do
    {owner, node} = owner(dir)
    {relay, _node} = start(role: :relay)
    assert {:error, %Error{reason: :no_owner}} = call(relay, SoulMem, :call, ["ping", nil, %{}])
    assert {:ok, %{"uptime_ms" => _}} = call(relay, SoulMem, :call, ["ping", nil, %{}, [node: node]])
    stop(owner)
    assert {:error, %Error{reason: :unreachable}} = call(relay, SoulMem, :health, [[node: node, retries: 0]])
  end

  test "subscribers hear of a character elsewhere, and when they cannot", %{tmp_dir: dir} do
    {first, node} = owner(dir, name: 'soulmem-tells')
    {:ok, _soul} = call(first, SoulMem, :create_soul, ["mei"])
    {relay, _node} = start(role: :relay, nodes: [node], discovery_backoff: [min: 10, max: 100])
    await_owner(relay, "mei")
    {:ok, _listener} = call(relay, Listener, :start, ["mei", [events: ["note.changed"]]])

    {:ok, %{"notes" => [%{"id" => id}]}} = call(first, SoulMem, :put_notes, ["mei", [note()]])
    assert %{soul: "mei", payload: %{"ids" => [^id]}} = call(relay, Listener, :await, ["note.changed"])

    # The daemon alone, then the whole node.
    {:ok, os_pid} = call(first, SoulMem.Daemon, :os_pid, [SoulMem.Daemon])
    {_output, 0} = System.cmd("kill", ["-KILL", Integer.to_string(os_pid)])
    assert %{soul: "mei"} = call(relay, Listener, :await, ["owner_lost"])
    assert %{soul: "mei"} = call(relay, Listener, :await, ["owner_back"])

    stop(first)
    assert %{payload: %{"node" => _}} = call(relay, Listener, :await, ["owner_lost"])
    {second, ^node} = owner(dir, name: 'soulmem-tells')
    assert %{soul: "mei"} = call(relay, Listener, :await, ["owner_back"])
    {:ok, %{"notes" => [%{"id" => id}]}} = call(second, SoulMem, :put_notes, ["mei", [note()]])
    assert %{payload: %{"ids" => [^id]}} = call(relay, Listener, :await, ["note.changed"])
  end

  test "pushes wait in the outbox while their owner is gone, and are there once when it is back", %{tmp_dir: dir} do
    data = Path.join(dir, "owner")
    {first, node} = owner(data, name: 'soulmem-away')
    {:ok, _soul} = call(first, SoulMem, :create_soul, ["mei"])
    outbox = [role: :relay, nodes: [node], discovery_backoff: [min: 10, max: 100], outbox_dir: Path.join(dir, "outbox")]
    {relay, _node} = start(outbox)
    await_owner(relay, "mei")
    push = fn relay, text, timeout -> call(relay, SoulMem, :push, ["mei", text, [outbox: true, timeout: timeout]]) end
    assert {:ok, %{"ids" => [_id]}} = push.(relay, "1", @patience)

    stop(first)
    for text <- ["2", "3"], do: assert({:ok, %{"queued" => true}} = push.(relay, text, 100))
    # The relay too is started anew meanwhile.
    stop(relay)
    {relay, _node} = start(outbox)
    assert {:ok, %{"queued" => true}} = push.(relay, "4", 100)
    assert {:ok, %{"outbox" => %{"waiting" => %{"mei" => 3}}}} = call(relay, SoulMem, :health, [])

    {second, ^node} = owner(data, name: 'soulmem-away')
    # In its order: when the last has arrived, so have all.
    assert {:ok, %{"ids" => [_id]}} = push.(relay, "5", @patience)
    {:ok, %{"messages" => messages}} = call(second, SoulMem, :list_messages, ["mei"])
    assert for(message <- messages, do: message["text"]) == ["1", "2", "3", "4", "5"]

    # What came from an outbox never comes again, with another key as long after the first was forgotten.
    {:ok, %{"marks" => [%{"id" => origin, "seq" => seq} | _]}} =
      call(second, SoulMem, :call, ["soul.owner", "mei", %{}])

    again = %{messages: [%{role: "user", text: "again"}], origin: %{id: origin, seq: seq}}
    assert {:ok, %{"ids" => [], "duplicate" => true}} = call(relay, SoulMem, :call, ["push", "mei", again])
    {:ok, %{"messages" => messages}} = call(second, SoulMem, :list_messages, ["mei"])
    assert length(messages) == 5
  end

  test "an answer over the bound is an error that says so", %{tmp_dir: dir} do
    {owner, node} = owner(dir)
    {:ok, _soul} = call(owner, SoulMem, :create_soul, ["mei"])
    :ok = call(owner, Application, :stop, [:soulmem])
    :ok = call(owner, Application, :put_env, [:soulmem, :max_reply_bytes, 2_000])
    {:ok, _started} = call(owner, Application, :ensure_all_started, [:soulmem])
    :ok = call(owner, SoulMem, :await_ready, [])
    {relay, _node} = start(role: :relay, nodes: [node])
    await_owner(relay, "mei")
    assert {:ok, _payload} = call(relay, SoulMem, :push, ["mei", String.duplicate("lang ", 1_000)])

    assert {:error, %Error{reason: :too_large, op: "message.list", detail: detail}} =
             call(relay, SoulMem, :list_messages, ["mei"])

    assert detail =~ "over the 2000 that cross between nodes"
    assert {:ok, %{"messages" => [_]}} = call(owner, SoulMem, :list_messages, ["mei"])
  end

  defp note do
    concept = %{content: "Eisvogel", aliases: [], concept_type: "Entity", description: "ein Vogel am Fluss"}
    %{tags: ["Vogel"], mem_type: %{"Semantic" => concept}}
  end
end
