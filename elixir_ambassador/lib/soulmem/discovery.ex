defmodule SoulMem.Discovery do
  @moduledoc false
  # How this node finds the others: a process for each node of the configured list, and the topologies of libcluster
  # where it is loaded. What goes wrong with either stays below this supervisor.

  use Supervisor

  alias SoulMem.Discovery.{Static, Topologies}
  alias SoulMem.Instance

  @spec start_link(keyword()) :: Supervisor.on_start()
  def start_link(options) do
    Supervisor.start_link(__MODULE__, options, name: Instance.process(options[:name], __MODULE__))
  end

  @impl true
  def init(options) do
    static = for node <- options[:nodes], node != node(), do: {Static, node: node, backoff: options[:discovery_backoff]}
    Supervisor.init(static ++ Topologies.children(options), strategy: :one_for_one)
  end
end
