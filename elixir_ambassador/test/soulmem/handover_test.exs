defmodule SoulMem.HandoverTest do
  use ExUnit.Case, async: true

  import SoulMem.BeamNode

  alias SoulMem.Error

  @moduletag :daemon
  @moduletag :tmp_dir
  @moduletag :capture_log

  setup %{tmp_dir: dir} do
    {desktop, desktop_node} = owner(Path.join(dir, "desktop"))
    {laptop, laptop_node} = owner(Path.join(dir, "laptop"), nodes: [desktop_node])
    {relay, _node} = start(role: :relay, nodes: [desktop_node, laptop_node])
    {:ok, _soul} = call(desktop, SoulMem, :create_soul, ["mei", [display_name: "梅", locale: "zh-CN"]])
    {:ok, %{"ids" => ids}} = call(desktop, SoulMem, :push, ["mei", ["一", "二", String.duplicate("x", 300_000)]])
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

  defp message_ids(peer, node) do
    {:ok, %{"messages" => messages}} = call(peer, SoulMem, :list_messages, ["mei", [node: node]])
    for message <- messages, do: message["id"]
  end
end
