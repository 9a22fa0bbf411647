# Stands where the daemon stands and does no more than the one of the previous version: what its `hello` does not name is an
# unknown operation, and fields that came later are dropped, as it drops what it does not know. Behind it is the real one,
# with its data directory.
#
#     elixir -pa <ebin of :soulmem> previous_daemon.exs <recorded.json> <daemon> serve …

defmodule SoulMem.Tests.PreviousDaemon do
  alias SoulMem.{JSON, MessagePack}

  # Fields of requests that came later.
  @later %{"push" => ["origin"], "soul.create" => ["ownership"]}

  def run([recorded, daemon | arguments]) do
    spawn_link(&leave_at_end_of_input/0)
    {ready, real} = start(daemon, arguments)
    {:ok, listener} = :gen_tcp.listen(0, [:binary, packet: 4, active: false, ip: {127, 0, 0, 1}])
    {:ok, port} = :inet.port(listener)
    IO.puts(String.replace(ready, ~s("port":#{real}), ~s("port":#{port})))
    serve(listener, real, hello(recorded))
  end

  # The port's end of its standard input closes with this node, so the daemon leaves with it.
  defp start(daemon, arguments) do
    port = Port.open({:spawn_executable, daemon}, [:binary, :exit_status, line: 4_096, args: arguments])
    line = receive(do: ({^port, {:data, {:eol, line}}} -> line))
    spawn_link(fn -> Port.connect(port, self()) && receive(do: ({^port, {:exit_status, status}} -> System.halt(status))) end)
    {:ok, %{"port" => real}} = JSON.decode(line)
    {line, real}
  end

  defp leave_at_end_of_input do
    if IO.read(:stdio, :line) == :eof, do: System.halt(0), else: leave_at_end_of_input()
  end

  defp hello(recorded) do
    {:ok, %{"hello" => %{"answer" => hex}}} = recorded |> File.read!() |> JSON.decode()
    {:ok, %{"payload" => payload}} = hex |> Base.decode16!(case: :lower) |> MessagePack.unpack()
    payload
  end

  defp serve(listener, real, hello) do
    {:ok, client} = :gen_tcp.accept(listener)
    relay = spawn(fn -> receive(do: (:go -> relay(client, real, hello))) end)
    :ok = :gen_tcp.controlling_process(client, relay)
    send(relay, :go)
    serve(listener, real, hello)
  end

  defp relay(client, real, hello) do
    {:ok, server} = :gen_tcp.connect({127, 0, 0, 1}, real, [:binary, packet: 4, active: true])
    :inet.setopts(client, active: true)
    pass(client, server, hello)
  end

  defp pass(client, server, hello) do
    receive do
      {:tcp, ^client, frame} -> frame |> unpack() |> asked(client, server, hello)
      {:tcp, ^server, frame} -> :gen_tcp.send(client, frame |> unpack() |> answered(hello) |> pack())
      {:tcp_closed, _either} -> exit(:normal)
    end

    pass(client, server, hello)
  end

  defp asked(%{"op" => op} = request, client, server, hello) do
    if op in hello["ops"] do
      known = Map.update(request, "payload", %{}, &Map.drop(&1, @later[op] || []))
      :gen_tcp.send(server, pack(known))
    else
      refusal = %{"code" => "unknown_op", "message" => "there is no operation #{op}", "retryable" => false}
      :gen_tcp.send(client, pack(%{"v" => 1, "kind" => "err", "msg_id" => request["msg_id"], "op" => op, "payload" => refusal}))
    end
  end

  defp answered(%{"kind" => "res", "op" => "hello", "payload" => payload} = answer, hello),
    do: %{answer | "payload" => Map.put(hello, "souls", payload["souls"])}

  defp answered(answer, _hello), do: answer

  defp unpack(frame), do: with({:ok, message} <- MessagePack.unpack(frame), do: message)
  defp pack(message), do: with({:ok, frame} <- MessagePack.pack(message), do: frame)
end

SoulMem.Tests.PreviousDaemon.run(System.argv())
