defmodule SoulMem.OwnershipTest do
  use ExUnit.Case, async: true

  import SoulMem.BeamNode

  alias SoulMem.Error

  @moduletag :daemon
  @moduletag :tmp_dir
  @moduletag :capture_log

  # Two machines that made the same character while they did not know of each other, and a third.
  setup %{tmp_dir: dir} do
    {desktop, desktop_node} = owner(Path.join(dir, "desktop"))
    {laptop, laptop_node} = owner(Path.join(dir, "laptop"))

    for {peer, text} <- [{desktop, "on the desktop"}, {laptop, "on the laptop"}] do
      {:ok, _soul} = call(peer, SoulMem, :create_soul, ["mei"])
      {:ok, _ids} = call(peer, SoulMem, :push, ["mei", text])
    end

    {:ok, _ids} = call(laptop, SoulMem, :push, ["mei", "and more"])
    true = call(desktop, Node, :connect, [laptop_node])
    {relay, _node} = start(role: :relay, nodes: [desktop_node, laptop_node])
    machines = [{desktop, desktop_node}, {laptop, laptop_node}]
    for {peer, _node} <- machines, do: await_ownership(peer, "contested")
    %{machines: machines, relay: relay}
  end

  test "two owners refuse writes and are read until one is chosen; the other is an old copy then", %{
    machines: [{desktop, desktop_node}, {laptop, laptop_node}] = machines,
    relay: relay
  } do
    for {peer, _node} <- machines do
      %{"state" => "contested", "claims" => claims} = ownership(peer)
      positions = Map.new(claims, &{&1["node"], &1["position"]})
      assert map_size(positions) == 2
      # More was written on the laptop, and its journal says so.
      [desktop_at, laptop_at] = for node <- [desktop_node, laptop_node], do: positions[Atom.to_string(node)]
      assert laptop_at > desktop_at and desktop_at > 0

      assert {:error, %Error{reason: :read_only, retryable: false, details: %{"ownership" => "contested"}}} =
               call(peer, SoulMem, :push, ["mei", "refused"])

      assert {:ok, %{"messages" => [_ | _]}} = call(peer, SoulMem, :list_messages, ["mei"])
    end

    await_owner(relay, "mei")
    assert {:error, %Error{reason: :read_only}} = call(relay, SoulMem, :push, ["mei", "refused"])

    assert {:ok, %{"ownership" => %{"state" => "owner"}}} = call(relay, SoulMem, :choose, ["mei", laptop_node])
    await_ownership(desktop, "handed_over")
    assert %{"state" => "handed_over", "node" => chosen} = ownership(desktop)
    assert chosen == Atom.to_string(laptop_node)
    assert ownership(laptop) == nil

    # From everywhere to the chosen one, from the machine with the old copy too.
    for peer <- [desktop, laptop, relay] do
      await_owners(peer, [laptop_node])
      assert {:ok, %{"ids" => [_]}} = call(peer, SoulMem, :push, ["mei", "taken"])
    end

    assert {:ok, %{"messages" => messages}} = call(laptop, SoulMem, :list_messages, ["mei"])
    assert length(messages) == 5

    # What only the old copy has is taken in by its id; a second time there is nothing new.
    {:ok, %{"messages" => [%{"id" => old}]}} = call(desktop, SoulMem, :list_messages, ["mei", [node: desktop_node]])
    assert {:ok, %{"messages" => 1, "known" => 0}} = call(relay, SoulMem, :merge, ["mei", desktop_node])
    assert {:ok, %{"messages" => 0, "known" => 1}} = call(relay, SoulMem, :merge, ["mei", desktop_node])
    assert {:ok, %{"messages" => messages}} = call(laptop, SoulMem, :list_messages, ["mei"])
    assert old in for(message <- messages, do: message["id"])
    assert {:error, %Error{reason: :read_only}} = call(relay, SoulMem, :push, ["mei", "no", [node: desktop_node]])
  end

  test "it holds through a restart, and while the machines do not see each other", %{
    machines: [{desktop, _node}, {_laptop, laptop_node}]
  } do
    true = call(desktop, Node, :disconnect, [laptop_node])
    assert {:error, %Error{reason: :read_only}} = call(desktop, SoulMem, :push, ["mei", "refused"])
    :ok = call(desktop, Application, :stop, [:soulmem])
    {:ok, _started} = call(desktop, Application, :ensure_all_started, [:soulmem])
    :ok = call(desktop, SoulMem, :await_ready, [])
    assert {:error, %Error{reason: :read_only}} = call(desktop, SoulMem, :push, ["mei", "refused"])
    assert %{"state" => "contested", "claims" => [_, _]} = ownership(desktop)
  end

  defp ownership(peer) do
    {:ok, %{"souls" => [%{"soul" => "mei"} = mei]}} = call(peer, SoulMem, :health, [])
    mei["ownership"]
  end

  defp await_ownership(peer, state, tries \\ 1_000) do
    unless match?(%{"state" => ^state}, ownership(peer)) do
      assert tries > 0, "it is #{inspect(ownership(peer))}"
      Process.sleep(20)
      await_ownership(peer, state, tries - 1)
    end
  end
end
