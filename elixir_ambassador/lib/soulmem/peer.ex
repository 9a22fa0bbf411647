defmodule SoulMem.Peer do
  @moduledoc false
  # Lives as long as the ambassador of one node can be reached. Who calls there monitors this process instead: to
  # monitor across a link that is congested or cut suspends the one who does it, for up to a minute, and so does
  # connecting to a machine that is off. Here it is nobody's call that waits.

  @spec start_link(atom(), node()) :: pid()
  def start_link(name, node), do: :proc_lib.spawn_link(fn -> watch(name, node) end)

  defp watch(name, node) do
    if node == node() or Node.connect(node) == true do
      monitor = Process.monitor({name, node})

      receive do
        {:DOWN, ^monitor, :process, _ambassador, _reason} -> :ok
      end
    end
  end
end
