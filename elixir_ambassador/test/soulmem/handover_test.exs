defmodule SoulMem.HandoverTest do
  use ExUnit.Case, async: true

  import SoulMem.BeamNode

  alias SoulMem.Error

  @moduletag :daemon
  @moduletag :tmp_dir
  @moduletag :capture_log

  setup %{tmp_dir: dir} do
    {desktop, desktop_node} = owner(Path.join(dir, "desktop"))
    {laptop, laptop_node} = owner(Path.join(dir, "laptop"), nodes: [desktop_node], announce_interval: 200)
    {relay, _node} = start(role: :relay, nodes: [desktop_node, laptop_node])
    {:ok, _soul} = call(desktop, SoulMem, :create_soul, ["mei", [display_name: "梅", locale: "zh-CN"]])
    long = ["一", "二", String.duplicate("x", 300_000)]
    {:ok, %{"ids" => ids}} = call(desktop, SoulMem, :push, ["mei", long, [timeout: 25_000]])
    await_owner(laptop, "mei")
    %{desktop: desktop, desktop_node: desktop_node, laptop: laptop, laptop_node: laptop_node, relay: relay, ids: ids}
  end

  test "a character moves with all it has, and back", context do
    %{desktop: desktop, laptop: laptop, relay: relay, ids: ids} = context
    waited = %{messages: [%{role: "user", text: "四"}], origin: %{id: "an outbox", seq: 7}}
    {:ok, %{"ids" => [fourth]}} = call(desktop, SoulMem, :call, ["push", "mei", waited])

    assert {:ok, %{"messages" => 4, "known" => 0}} = call(laptop, SoulMem, :adopt, ["mei"])
    assert message_ids(laptop, context.laptop_node) == ids ++ [fourth]
    assert {:ok, %{"souls" => [%{"display_name" => "梅", "locale" => "zh-CN"}]}} = call(laptop, SoulMem, :list_souls, [])

    for peer <- [desktop, laptop, relay] do
      await_owners(peer, [context.laptop_node])
      assert {:ok, %{"ids" => [_id]}} = call(peer, SoulMem, :push, ["mei", "五"])
    end

    # What came from an outbox before the move does not come again after it.
    assert {:ok, %{"ids" => [], "duplicate" => true}} = call(relay, SoulMem, :call, ["push", "mei", waited])

    # The old copy is read, and not written.
    assert message_ids(desktop, context.desktop_node) == ids ++ [fourth]

    assert {:error, %Error{reason: :read_only, details: %{"ownership" => "handed_over"}}} =
             call(relay, SoulMem, :push, ["mei", "nein", [node: context.desktop_node]])

    assert {:ok, %{"messages" => 7}} = call(desktop, SoulMem, :adopt, ["mei"])
    await_owners(relay, [context.desktop_node])
    assert {:ok, %{"ids" => [_id]}} = call(relay, SoulMem, :push, ["mei", "六"])
    assert length(message_ids(desktop, context.desktop_node)) == 8
  end

  test "a request that is asked again after the move gets the answer that it got before", context do
    %{desktop: desktop, laptop: laptop, relay: relay} = context
    again = ["mei", "einmal", [idempotency_key: "k1"]]
    {:ok, %{"ids" => ids}} = call(desktop, SoulMem, :push, again)
    {:ok, _report} = call(laptop, SoulMem, :adopt, ["mei"])
    await_owners(relay, [context.laptop_node])
    assert {:ok, %{"ids" => ^ids, "duplicate" => true}} = call(relay, SoulMem, :push, again)
    assert {:error, %Error{reason: :conflict}} = call(relay, SoulMem, :push, ["mei", "zwei", [idempotency_key: "k1"]])
  end

  test "a move that was interrupted is taken back by itself, wherever it had come to", context do
    %{desktop: desktop, desktop_node: desktop_node, laptop: laptop, laptop_node: laptop_node, relay: relay} = context
    owner = fn peer, set -> call(peer, SoulMem, :call, ["soul.owner", "mei", %{set: set}]) end
    arriving = %{ownership: %{state: "arriving", node: Atom.to_string(desktop_node)}}

    for given_up? <- [false, true] do
      # As it stands after the laptop lost its power in the middle.
      {:ok, request} = call(laptop, SoulMem.Request, :new, ["soul.create", "mei", arriving, [timeout: 5_000]])
      {:ok, _soul} = call(laptop, SoulMem.Router, :unannounced, [request, SoulMem])
      if given_up?, do: {:ok, _copy} = owner.(desktop, %{state: "handed_over", node: Atom.to_string(laptop_node)})
      await_souls(laptop, [])
      await_owners(relay, [desktop_node])
      assert {:ok, %{"ids" => [_id]}} = call(relay, SoulMem, :push, ["mei", "weiter"])
    end

    assert {:ok, %{"messages" => 5}} = call(laptop, SoulMem, :adopt, ["mei"])
  end

  test "a backup of what was handed over makes no second owner", %{tmp_dir: dir} = context do
    %{desktop: desktop, desktop_node: desktop_node, laptop: laptop, laptop_node: laptop_node, relay: relay} = context
    backups = Path.expand(Path.join(dir, "backups"))
    {:ok, %{"folder" => folder}} = call(desktop, SoulMem, :call, ["backup", nil, %{folder: backups}])
    {:ok, _report} = call(laptop, SoulMem, :adopt, ["mei"])
    await_owners(desktop, [laptop_node])

    # In the place of the old copy it is one too.
    restore = fn peer -> call(peer, SoulMem, :call, ["restore", nil, %{folder: folder, replace: true}]) end
    {:ok, %{"souls" => [%{"replaced" => true}]}} = restore.(desktop)
    assert %{"state" => "handed_over"} = ownership(desktop)

    # Where nothing is known of it, the other machine is seen to have it.
    {:ok, _folder} = call(desktop, SoulMem, :call, ["soul.drop", "mei", %{confirm: "mei"}, [node: desktop_node]])
    {:ok, %{"souls" => [%{"replaced" => false}]}} = restore.(desktop)
    await_ownership(desktop, "handed_over")
    assert %{"node" => node, "claims" => claims} = ownership(desktop)
    assert node == Atom.to_string(laptop_node)
    assert Enum.sort(for(claim <- claims, do: claim["node"])) == Enum.sort([node, Atom.to_string(desktop_node)])
    assert {:ok, %{"ids" => [_id]}} = call(relay, SoulMem, :push, ["mei", "weiter"])
    assert ownership(laptop) == nil
  end

  test "a backup that comes back to a machine of its own has an owner", %{tmp_dir: dir, desktop: desktop, relay: relay} do
    backups = Path.expand(Path.join(dir, "backups"))
    {:ok, %{"folder" => folder}} = call(desktop, SoulMem, :call, ["backup", nil, %{folder: backups}])
    {new, new_node} = owner(Path.join(dir, "new"), announce_interval: 200)
    {:ok, _restored} = call(new, SoulMem, :call, ["restore", nil, %{folder: folder}])
    assert {:ok, %{"ids" => [_id]}} = call(new, SoulMem, :push, ["mei", "weiter", [timeout: 25_000]])
    await_owners(new, [new_node])
    # Should the first be there after all, both say so.
    true = call(relay, Node, :connect, [new_node])
    true = call(new, Node, :connect, [call(desktop, Kernel, :node, [])])
    await_ownership(desktop, "contested")
    await_ownership(new, "contested")
  end

  test "what the machine has itself does not move, nor what nobody has", %{
    desktop: desktop,
    laptop: laptop,
    relay: relay
  } do
    assert {:ok, %{"ownership" => %{"state" => "owner"}}} = call(desktop, SoulMem, :adopt, ["mei"])
    assert {:error, %Error{reason: :no_owner}} = call(laptop, SoulMem, :adopt, ["nobody"])
    assert {:error, %Error{reason: :no_owner, detail: detail}} = call(relay, SoulMem, :adopt, ["mei"])
    assert detail =~ "only move to a machine that has a daemon"
  end

  test "a move that fails is taken back", %{
    desktop: desktop,
    laptop: laptop,
    laptop_node: node,
    relay: relay,
    tmp_dir: dir
  } do
    # The laptop cannot make it: something else lies where it would be.
    souls = Path.join([dir, "laptop", "souls"])
    File.mkdir_p!(souls)
    File.write!(Path.join(souls, "mei"), "not a folder")
    assert {:error, %Error{}} = call(laptop, SoulMem, :adopt, ["mei"])
    await_owners(relay, [call(desktop, Kernel, :node, [])])
    assert {:ok, %{"ids" => [_id]}} = call(relay, SoulMem, :push, ["mei", "weiter"])
    assert {:error, %Error{reason: :unknown_soul}} = call(relay, SoulMem, :stats, ["mei", [node: node]])
  end

  defp ownership(peer) do
    {:ok, %{"souls" => souls}} = call(peer, SoulMem, :health, [])
    Enum.find_value(souls, fn about -> if about["soul"] == "mei", do: about["ownership"] end)
  end

  defp await_ownership(peer, state), do: until(fn -> match?(%{"state" => ^state}, ownership(peer)) end)

  defp await_souls(peer, souls) do
    until(fn ->
      {:ok, %{"souls" => there}} = call(peer, SoulMem, :list_souls, [])
      for(about <- there, do: about["soul"]) == souls
    end)
  end

  # Nobody is told when it comes to be.
  defp until(condition, tries \\ 1_000) do
    unless condition.() do
      assert tries > 0, "in vain"
      Process.sleep(20)
      until(condition, tries - 1)
    end
  end

  defp message_ids(peer, node) do
    {:ok, %{"messages" => messages}} = call(peer, SoulMem, :list_messages, ["mei", [node: node]])
    for message <- messages, do: message["id"]
  end
end
