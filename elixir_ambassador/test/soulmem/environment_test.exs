defmodule SoulMem.EnvironmentTest do
  use ExUnit.Case, async: true
  doctest SoulMem.Environment

  alias SoulMem.Environment

  @moduletag :tmp_dir

  test "nothing is set by nothing" do
    assert Environment.options(%{"HOME" => "/root"}) == []
  end

  test "each variable is its option", %{tmp_dir: dir} do
    assert Environment.options(%{
             "SOULMEM_ROLE" => "relay",
             "SOULMEM_COOKIE_FILE" => "/c",
             "SOULMEM_DATA_DIR" => "/d",
             "SOULMEM_LOG_LEVEL" => "warn",
             "SOULMEM_TLS_DIR" => "/t"
           }) == [
             cookie_file: "/c",
             role: :relay,
             data_dir: "/d",
             daemon_args: ["--log-level", "warn"],
             known_only: true
           ]

    secret = Path.join(dir, "secret")
    File.write!(secret, String.duplicate("s", 30))
    File.chmod!(secret, 0o600)
    env = %{"SOULMEM_GOSSIP_SECRET_FILE" => secret, "SOULMEM_INTERFACE" => "10.0.0.1"}
    assert [topologies: [home: home]] = Environment.options(env)

    assert home == [
             strategy: Cluster.Strategy.Gossip,
             connect: {SoulMem.Known, :connect, []},
             config: [secret: String.duplicate("s", 30), multicast_if: "10.0.0.1"]
           ]

    File.chmod!(secret, 0o644)
    assert_raise ArgumentError, ~r/SOULMEM_GOSSIP_SECRET_FILE: others can read/, fn -> Environment.options(env) end
  end

  test "what it does not know it says" do
    assert_raise ArgumentError, "SOULMEM_ROLE=owner: it is daemon or relay", fn ->
      Environment.options(%{"SOULMEM_ROLE" => "owner"})
    end
  end
end
