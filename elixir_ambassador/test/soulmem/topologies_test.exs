defmodule SoulMem.Discovery.TopologiesTest do
  use ExUnit.Case, async: true

  import ExUnit.CaptureLog

  alias SoulMem.Discovery.Topologies

  @gossip [home: [strategy: Cluster.Strategy.Gossip, config: [secret: "of this home"]]]

  test "gossip without a secret is refused" do
    for config <- [[], [config: []], [config: [secret: nil]], [config: [secret: ""]]] do
      topology = {:home, [strategy: Cluster.Strategy.Gossip] ++ config}
      assert_raise ArgumentError, ~r/topology :home: gossip needs a `secret`/, fn -> Topologies.checked!(topology) end
    end

    assert [Topologies.checked!(hd(@gossip))] == @gossip
  end

  test "the Epmd strategy gets a timeout with which it connects again, unless it has one" do
    hosts = [hosts: [:a@b]]
    assert {:lan, topology} = Topologies.checked!({:lan, strategy: Cluster.Strategy.Epmd, config: hosts})
    assert topology[:config] == [timeout: 2_000, hosts: [:a@b]]
    own = {:lan, strategy: Cluster.Strategy.Epmd, config: [timeout: 9]}
    assert Topologies.checked!(own) == own
  end

  test "without libcluster the static list is used, and that is said" do
    refute Code.ensure_loaded?(Cluster.Supervisor)
    assert capture_log(fn -> assert Topologies.children(topologies: @gossip) == [] end) =~ "libcluster is not loaded"
    assert capture_log(fn -> assert Topologies.children(topologies: []) == [] end) == ""
  end

  test "it is started once there is an address, and anew when the addresses change" do
    {:ok, machine} = Agent.start_link(fn -> [] end)
    topologies = start(fn -> Agent.get(machine, & &1) end)
    look(topologies)
    refute_received {:started, _libcluster, _topologies}

    Agent.update(machine, fn _none -> [{10, 0, 0, 1}] end)
    look(topologies)
    assert_received {:started, first, @gossip}
    look(topologies)
    refute_received {:started, _libcluster, _topologies}

    Agent.update(machine, fn _one -> [{10, 0, 0, 2}] end)
    look(topologies)
    assert_received {:started, second, @gossip}
    assert not Process.alive?(first) and Process.alive?(second)

    Agent.update(machine, fn _two -> [] end)
    look(topologies)
    refute Process.alive?(second)
  end

  @tag :capture_log
  test "however often it falls it is started again, and nothing else falls" do
    topologies = start(fn -> [{10, 0, 0, 1}] end)

    for _fall <- 1..4 do
      assert_receive {:started, libcluster, @gossip}, 10_000
      Process.exit(libcluster, :kill)
    end

    assert Process.alive?(topologies)
  end

  defp start(addresses) do
    test = self()

    libcluster = fn topologies ->
      {:ok, libcluster} = Supervisor.start_link([], strategy: :one_for_one)
      send(test, {:started, libcluster, topologies})
      {:ok, libcluster}
    end

    # It looks when the test says so.
    options = [topologies: @gossip, start: libcluster, addresses: addresses, interval: 3_600_000]
    start_supervised!({Topologies, options})
  end

  defp look(topologies) do
    send(topologies, :look)
    :sys.get_state(topologies)
  end
end
