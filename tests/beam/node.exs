# A BEAM node under test. It connects to the test, is told there what to do, and does it with the functions that an
# application would use. Both ways a frame is one message, packed as on the wire of the daemon.
#
#     elixir -pa <ebin of :soulmem> node.exs <socket of the test>
#
#   → %{"id", "do", ...}         a command; several may be under way at once
#   ← %{"id", "ok" | "error"}    its outcome
#   ← %{"event", ...}            what happens meanwhile: "daemon" with its "pid" each time that one is up,
#                                "acknowledged" for each write of the callers ("asked" where its end is not
#                                known), "step" of a move that stands still, "nodeup" and "nodedown" with the
#                                other "node", and of a character that it listens to "owner_lost" and "owner_back"
#
# When the connection ends, so does the node: nothing of a test that died stays behind.

defmodule SoulMem.Tests.Test do
  # The way back to the test.

  alias SoulMem.MessagePack

  def connect(path) do
    {:ok, socket} = :gen_tcp.connect({:local, path}, 0, [:binary, packet: 4, active: false])
    :persistent_term.put(__MODULE__, socket)
    socket
  end

  def tell(message) do
    {:ok, frame} = MessagePack.pack(message)
    :ok = :gen_tcp.send(:persistent_term.get(__MODULE__), frame)
  end
end

Code.require_file("cluster.exs", __DIR__)
Code.require_file("callers.exs", __DIR__)
Code.require_file("moves.exs", __DIR__)
Code.require_file("times.exs", __DIR__)

defmodule SoulMem.Tests.Commands do
  alias SoulMem.Tests.{Callers, Cluster, Moves, Test, Times}

  # A little less than the patience of the test, which then learns what it waited for.
  @patience 110_000

  # The application with its daemon, in a node that can lose it 200 times within a minute.
  def run("start", %{"daemon" => path, "data_dir" => data_dir}) do
    quick = [min: 1, max: 50]

    Application.put_all_env(
      soulmem: [
        daemon_path: path,
        data_dir: data_dir,
        restart_backoff: quick,
        reconnect_backoff: quick,
        stable_after: 1
      ]
    )

    {:ok, _started} = Application.ensure_all_started(:soulmem)
    spawn_link(&announce_daemons/0)
    with :ok <- SoulMem.await_ready(timeout: @patience), do: {:ok, os_process()}
  end

  # The same as a member of a cluster.
  def run("join", %{"role" => role, "nodes" => nodes} = arguments) do
    spawn_link(&Cluster.announce_nodes/0)
    nodes = Enum.map(nodes, &String.to_atom/1)

    Application.put_all_env(
      soulmem: [
        nodes: nodes,
        discovery_backoff: [min: 100, max: 500],
        relay_limit: 64,
        announce_interval: 500,
        outbox_dir: arguments["outbox"]
      ]
    )

    case role do
      "daemon" ->
        run("start", arguments)

      "relay" ->
        Application.put_env(:soulmem, :role, :relay)
        {:ok, _started} = Application.ensure_all_started(:soulmem)
        {:ok, os_process()}
    end
  end

  def run("times " <> command, arguments), do: Times.run(command, arguments)
  def run("moves " <> command, arguments), do: Moves.run(command, arguments)
  def run("cluster " <> command, arguments), do: Cluster.run(command, arguments)

  def run("push", %{"soul" => soul, "messages" => messages}), do: SoulMem.push(soul, messages, timeout: @patience)

  def run("retrieve", %{"soul" => soul, "text" => text, "limit" => limit}),
    do: SoulMem.retrieve(soul, text, limit: limit, timeout: @patience)

  def run("call", %{"op" => op, "soul" => soul, "payload" => payload}),
    do: SoulMem.call(op, soul, payload, timeout: @patience)

  def run("talk", %{"soul" => soul, "callers" => count}), do: {:ok, %{"writes" => Callers.talk(soul, count)}}

  def run("hush", _nothing), do: Callers.hush()

  # A process that fell and was started anew is another one.
  def run("processes", _nothing) do
    children =
      for {id, pid, _type, _modules} <- Supervisor.which_children(SoulMem.Supervisor),
          do: {inspect(id), inspect(pid)}

    {:ok, children |> Map.new() |> Map.put("tree", inspect(Process.whereis(SoulMem.Supervisor)))}
  end

  def run("stop", _nothing) do
    :ok = Application.stop(:soulmem)
    {:ok, %{}}
  end

  defp os_process, do: %{"pid" => String.to_integer(System.pid())}

  defp announce_daemons do
    case SoulMem.Daemon.watch(SoulMem.Daemon) do
      {:up, ready} -> Test.tell(%{"event" => "daemon", "pid" => ready.pid})
      :down -> :ok
    end

    announce_next_daemon()
  end

  defp announce_next_daemon do
    receive do
      {SoulMem.Daemon, :up, ready} -> Test.tell(%{"event" => "daemon", "pid" => ready.pid})
      {SoulMem.Daemon, :down, _reason} -> :ok
    end

    announce_next_daemon()
  end
end

defmodule SoulMem.Tests.Control do
  alias SoulMem.{Error, MessagePack}
  alias SoulMem.Tests.{Commands, Test}

  def serve(socket) do
    case :gen_tcp.recv(socket, 0) do
      {:ok, frame} ->
        {:ok, %{"id" => id, "do" => command} = arguments} = MessagePack.unpack(frame)
        spawn_link(fn -> answer(id, command, arguments) end)
        serve(socket)

      # In good order if "stop" was asked before.
      {:error, :closed} ->
        System.stop(0)
        Process.sleep(:infinity)
    end
  end

  defp answer(id, command, arguments) do
    case Commands.run(command, arguments) do
      {:ok, payload} -> Test.tell(%{"id" => id, "ok" => payload})
      {:error, %Error{} = error} -> Test.tell(%{"id" => id, "error" => Error.to_wire(error)})
    end
  end
end

[socket] = System.argv()
Logger.configure_backend(:console, device: :standard_error)
socket |> SoulMem.Tests.Test.connect() |> SoulMem.Tests.Control.serve()
