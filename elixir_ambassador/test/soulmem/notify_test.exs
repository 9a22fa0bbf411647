defmodule SoulMem.NotifyTest do
  use ExUnit.Case, async: true

  import SoulMem.FakeServer

  alias SoulMem.{Notify, Tree}

  @moduletag :tmp_dir
  @moduletag :capture_log

  test "there is none without a service manager" do
    assert Notify.children(SoulMem, %{}) == []
  end

  test "says that it is ready once the daemon answers, and gives signs of life for as long as it does", %{tmp_dir: dir} do
    {instance, daemon, _listener} = Tree.played(dir)
    {manager, path} = manager()
    [child] = Notify.children(instance, %{"NOTIFY_SOCKET" => path, "WATCHDOG_USEC" => "4000000"})
    start_supervised!(child)

    ping = read(daemon)
    assert ping.op == "ping"
    # Half the watchdog's time: an answer that comes later is none.
    assert ping.deadline_ms in 1..2_000
    assert told(manager) == "STATUS=the daemon does not answer"
    assert answered(daemon, manager) =~ "READY=1\nSTATUS=serving as"
    assert told(manager) == "WATCHDOG=1"
    assert answered(daemon, manager) == "WATCHDOG=1"
    assert Notify.stopping() == :ok
    assert told(manager) in ["STOPPING=1", "STATUS=the daemon does not answer"]
  end

  # A machine with much else to do may bring an answer too late, and then it is asked again.
  defp answered(daemon, manager) do
    answer(daemon, read(daemon), %{})

    case told(manager) do
      "STATUS=the daemon does not answer" -> answered(daemon, manager)
      text -> text
    end
  end

  # Not in the test's folder: the path of a socket has 107 bytes at most.
  defp manager do
    path = Path.join(System.tmp_dir!(), "soulmem-notify-#{System.pid()}")
    on_exit(fn -> File.rm(path) end)
    {:ok, socket} = :gen_udp.open(0, [:local, :binary, ifaddr: {:local, path}, active: false])
    {socket, path}
  end

  defp told(manager) do
    assert {:ok, {_address, _port, text}} = :gen_udp.recv(manager, 0, 5_000)
    text
  end
end
