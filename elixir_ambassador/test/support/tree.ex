defmodule SoulMem.Tree do
  @moduledoc false
  # A whole tree under a name of its own: the processes, port and sockets are real, and the daemon is either the
  # real one or a script whose end of the connection the test plays with `SoulMem.FakeServer`.

  import ExUnit.Callbacks

  alias SoulMem.{FakeServer, Instance, Script}

  @doc "A tree before a played daemon: `{instance, socket}`, once the connection is up."
  def played(dir, options \\ []) do
    {listener, ready} = FakeServer.listen()
    path = Script.write(dir, Script.good(ready))
    instance = start([daemon_path: path, reconnect_backoff: [min: 1, max: 20]] ++ options)
    socket = FakeServer.welcome(listener)
    :ok = SoulMem.await_ready(instance: instance)
    {instance, socket, listener}
  end

  @doc "A tree with the real daemon on a data directory below `dir`."
  def real(dir, options \\ []) do
    path = Application.fetch_env!(:soulmem_test, :daemon_path)

    defaults = [
      daemon_path: path,
      data_dir: Path.join(dir, "data"),
      daemon_args: ["--log-level", "error"],
      restart_backoff: [min: 10, max: 100]
    ]

    instance = start(Keyword.merge(defaults, options))
    :ok = SoulMem.await_ready(instance: instance)
    instance
  end

  def start(options) do
    instance = Module.concat(__MODULE__, "T#{System.unique_integer([:positive])}")
    start_supervised!({SoulMem.Supervisor, [name: instance] ++ options}, id: instance)
    instance
  end

  def process(instance, part), do: instance |> Instance.process(part) |> Process.whereis()
end
