defmodule SoulMem.DaemonTest do
  use ExUnit.Case, async: true

  import ExUnit.CaptureLog

  alias SoulMem.{Daemon, Options, ReadyLine, Script}

  @moduletag :tmp_dir
  @moduletag :capture_log

  test "starts it in hosted mode with its data directory, arguments and environment", %{
    tmp_dir: dir
  } do
    body = ~S(printf '%s\n' "$@" "$SPECIAL" >"$0.told") <> "\n" <> Script.good()

    daemon =
      start(dir, body,
        data_dir: Path.join(dir, "data"),
        daemon_args: ["--log-format", "json"],
        daemon_env: [{"SPECIAL", "值"}]
      )

    await_up(daemon)

    told = dir |> Path.join("soulmem.told") |> File.read!() |> String.split("\n", trim: true)

    assert told == [
             "serve",
             "--hosted",
             "--data-dir",
             Path.expand("data", dir),
             "--log-format",
             "json",
             "值"
           ]
  end

  test "tells its watchers where it is", %{tmp_dir: dir} do
    daemon = start(dir, Script.good())
    assert %ReadyLine{port: 9} = await_up(daemon)
    assert {:up, %ReadyLine{}} = Daemon.watch(daemon)
  end

  test "SIGKILL of it is told, and it is started again", %{tmp_dir: dir} do
    daemon = start(dir, Script.good())
    await_up(daemon)
    {:ok, first} = Daemon.os_pid(daemon)
    kill(first, "KILL")

    assert_receive {Daemon, :down, "it was ended by signal 9"}, 5_000
    assert_receive {Daemon, :up, %ReadyLine{}}, 5_000
    {:ok, second} = Daemon.os_pid(daemon)
    assert second != first
    assert Script.alive?(second)
  end

  test "one that leaves at once is tried again with growing pauses, without a word to the supervisor",
       %{tmp_dir: dir} do
    # It works at the fifth try. The pauses before are from [10, 20], [20, 40], …: never shorter.
    body = ~S{echo x >>"$0.tries"; [ $(wc -l <"$0.tries") -lt 5 ] && exit 75} <> "\n" <> Script.good()

    started = System.monotonic_time(:millisecond)

    log =
      capture_log(fn ->
        daemon = start(dir, body, restart_backoff: [min: 20, max: 10_000])
        await_up(daemon)
        assert Process.alive?(daemon)
      end)

    assert System.monotonic_time(:millisecond) - started >= 10 + 20 + 40 + 80
    assert log =~ "another daemon holds its data directory (exit status 75)"
  end

  test "one that falls right after it was ready is slowed down too", %{tmp_dir: dir} do
    body =
      ~S{echo x >>"$0.tries"; [ $(wc -l <"$0.tries") -lt 4 ] && } <>
        String.trim(Script.ready_line()) <> " && exit 1\n" <> Script.good()

    log =
      capture_log(fn ->
        dir |> start(body, restart_backoff: [min: 20, max: 10_000]) |> await_up_and_settled()
      end)

    pauses = for [_, pause] <- Regex.scan(~r/next start in (\d+) ms/, log), do: String.to_integer(pause)

    assert [first, second, third | _] = pauses
    assert first in 11..20 and second in 21..40 and third in 41..80
  end

  test "an executable that vanished is waited for", %{tmp_dir: dir} do
    daemon = start(dir, Script.good())
    await_up(daemon)
    {:ok, os_pid} = Daemon.os_pid(daemon)
    File.rm!(Path.join(dir, "soulmem"))
    kill(os_pid, "KILL")
    assert_receive {Daemon, :down, _reason}, 5_000
    Script.write(dir, Script.good())
    assert_receive {Daemon, :up, _ready}, 5_000
  end

  for {name, body} <- [
        {"words", "echo starting up\n"},
        {"other JSON", "echo '{\"level\":\"info\"}'\n"},
        {"an endless line", "head -c 100000 /dev/zero\n"},
        {"another protocol",
         "echo '{\"event\":\"ready\",\"port\":9,\"token\":\"5ec2e7\",\"pid\":1,\"protocol\":0,\"version\":\"9\"}'\n"}
      ] do
    test "one that says #{name} is stopped and tried again", %{tmp_dir: dir} do
      first =
        ~S([ -e "$0.again" ] || { touch "$0.again"; ) <>
          String.trim(unquote(body)) <> "; cat >/dev/null; }\n"

      log = capture_log(fn -> dir |> start(first <> Script.good()) |> await_up() end)
      assert log =~ "is stopped: its first line" or log =~ "is stopped: it speaks protocol 0"
      assert log =~ "it was ended by signal 15"
      refute log =~ "5ec2e7"
    end
  end

  test "one that is never ready is stopped, by force if need be", %{tmp_dir: dir} do
    body =
      ~S([ -e "$0.again" ] || { touch "$0.again"; trap '' TERM; while :; do read -r _; done; }) <>
        "\n" <> Script.good()

    log =
      capture_log(fn ->
        dir |> start(body, ready_timeout: 100, drain_timeout: 100) |> await_up()
      end)

    assert log =~ "it was not ready in time"
    assert log =~ "it was ended by signal 9"
  end

  test "what it writes after the ready line is read and of no account", %{tmp_dir: dir} do
    # More than a pipe holds: it would stand still if nobody read.
    body = Script.ready_line() <> ~S(head -c 1000000 /dev/zero; touch "$0.done"; kill -9 $$) <> "\n"

    daemon = start(dir, body, restart_backoff: [min: 10_000, max: 10_000])
    await_up(daemon)
    assert_receive {Daemon, :down, "it was ended by signal 9"}, 5_000
    assert File.exists?(Path.join(dir, "soulmem.done"))
  end

  test "a stop waits for it to leave", %{tmp_dir: dir} do
    body =
      ~S(trap 'touch "$0.drained"; exit 0' TERM) <>
        "\n" <> Script.ready_line() <> "while :; do read -r _; done\n"

    daemon = start(dir, body)
    await_up(daemon)
    {:ok, os_pid} = Daemon.os_pid(daemon)
    :ok = stop_supervised(Daemon)
    assert File.exists?(Path.join(dir, "soulmem.drained"))
    refute Script.alive?(os_pid)
  end

  test "a stop ends one that does not listen", %{tmp_dir: dir} do
    body = "trap '' TERM\n" <> Script.ready_line() <> "while :; do read -r _; done\n"
    daemon = start(dir, body, drain_timeout: 50)
    await_up(daemon)
    {:ok, os_pid} = Daemon.os_pid(daemon)
    :ok = stop_supervised(Daemon)
    refute Script.alive?(os_pid)
  end

  test "when the process that owns it is killed, it reads end of file and leaves", %{tmp_dir: dir} do
    fifo = Path.join(dir, "left")
    {_, 0} = System.cmd("mkfifo", [fifo])
    body = Script.good() <> ~s(echo bye >"#{fifo}"\n)
    daemon = start(dir, body)
    await_up(daemon)
    Process.exit(daemon, :kill)
    # Reading waits until the other end was opened and closed.
    assert {"bye\n", 0} = System.cmd("cat", [fifo])
  end

  defp start(dir, body, given \\ []) do
    options =
      [daemon_path: Script.write(dir, body), restart_backoff: [min: 10, max: 50]]
      |> Keyword.merge(given)
      |> Options.start!()
      |> Keyword.delete(:name)

    start_supervised!({Daemon, options}, restart: :temporary)
  end

  defp await_up(daemon) do
    case Daemon.watch(daemon) do
      {:up, ready} ->
        ready

      :down ->
        assert_receive {Daemon, :up, ready}, 10_000
        ready
    end
  end

  defp await_up_and_settled(daemon) do
    Daemon.watch(daemon)
    for _ <- 1..3, do: assert_receive({Daemon, :down, _reason}, 10_000)
    assert_receive {Daemon, :up, _ready}, 10_000
  end

  defp kill(os_pid, signal), do: {_, 0} = System.cmd("/bin/sh", ["-c", "kill -#{signal} #{os_pid}"])
end
