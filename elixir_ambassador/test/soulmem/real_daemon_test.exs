defmodule SoulMem.RealDaemonTest do
  use ExUnit.Case, async: true

  import ExUnit.CaptureLog

  alias SoulMem.{
    Connection,
    Daemon,
    Dependents,
    Endpoint,
    Error,
    Instance,
    Options,
    Script,
    TellingChild,
    Tree
  }

  @moduletag :daemon
  @moduletag :tmp_dir
  @moduletag :capture_log

  describe "a conversation" do
    test "goes in and comes back as memory, after a restart of everything too", %{tmp_dir: dir} do
      instance = Tree.real(dir)
      options = [instance: instance]

      assert {:ok, %{"soul" => "mei"}} = SoulMem.create_soul("mei", [display_name: "梅", locale: "zh-CN"] ++ options)

      assert {:ok, %{"ids" => [first, second], "duplicate" => false}} =
               SoulMem.push(
                 "mei",
                 ["周六我要去江心洲看鸟。", %{role: :assistant, text: "记得带上望远镜👓。"}],
                 options
               )

      assert {:ok, %{"utterances" => said}} = SoulMem.retrieve("mei", "周六去哪里看鸟？", options)
      assert first in for(hit <- said, do: hit["id"])

      stop_supervised!(instance)
      options = [instance: Tree.real(dir)]
      assert {:ok, %{"messages" => messages}} = SoulMem.list_messages("mei", options)

      assert [%{"id" => ^first, "role" => "user"}, %{"id" => ^second, "text" => "记得带上望远镜👓。"}] = messages

      assert {:ok, %{"utterances" => [_ | _]}} = SoulMem.retrieve("mei", "周六去哪里看鸟？", options)
      assert [%{"soul" => "mei", "display_name" => "梅"}] = SoulMem.list_souls!(options)["souls"]
    end

    test "is written once however often it is repeated", %{tmp_dir: dir} do
      options = [instance: Tree.real(dir)]
      SoulMem.create_soul!("mei", options)
      first = SoulMem.push!("mei", "一次", [idempotency_key: "k1"] ++ options)
      again = SoulMem.push!("mei", "一次", [idempotency_key: "k1"] ++ options)
      assert first["ids"] == again["ids"]
      assert again["duplicate"]
      assert [_one] = SoulMem.list_messages!("mei", options)["messages"]
    end

    test "of strange texts comes back as it was", %{tmp_dir: dir} do
      options = [instance: Tree.real(dir)]
      SoulMem.create_soul!("mei", options)
      texts = ["👩‍👩‍👧‍👦", "שלום", "e\u0301", "a\0b", String.duplicate("记", 300_000)]
      SoulMem.push!("mei", texts, [timeout: 60_000] ++ options)

      assert for(
               message <- SoulMem.list_messages!("mei", options)["messages"],
               do: message["text"]
             ) == texts
    end
  end

  describe "notes" do
    test "are put, read, linked and counted", %{tmp_dir: dir} do
      options = [instance: Tree.real(dir)]
      SoulMem.create_soul!("mei", options)

      assert [%{"id" => bird, "revision" => 1}, %{"id" => place}] =
               SoulMem.put_notes!("mei", [note("震旦鸦雀"), note("江心洲")], options)["notes"]

      link = %{
        from: bird,
        to: place,
        link_type: %{"Sem" => %{"verb" => "住在", "confidence" => 0.9}}
      }

      assert [_id] = SoulMem.put_links!("mei", [link], options)["ids"]

      assert [%{"id" => ^bird, "mem_links" => [%{"to" => ^place}]}] =
               SoulMem.get_notes!("mei", [bird], options)["notes"]

      assert %{"notes_by_type" => %{"semantic" => 2}, "links" => 1} = SoulMem.stats!("mei", options)

      assert [%{"id" => ^bird} | _] = SoulMem.retrieve!("mei", "震旦鸦雀", options)["notes"]
    end

    test "are praised, blamed, cut apart and taken away", %{tmp_dir: dir} do
      options = [instance: Tree.real(dir)]
      SoulMem.create_soul!("mei", options)

      assert [%{"id" => bird}, %{"id" => place}] =
               SoulMem.put_notes!("mei", [note("震旦鸦雀"), note("江心洲")], options)["notes"]

      sem = %{"Sem" => %{"verb" => "住在", "confidence" => 0.9}}
      assert [link] = SoulMem.put_links!("mei", [%{from: bird, to: place, link_type: sem}], options)["ids"]

      ask = %{variant: %{"Semantic" => [%{concept_identifier: "震旦鸦雀"}]}}
      assert [_bird, %{"id" => ^place, "stage" => "walk"}] = SoulMem.retrieve!("mei", ask, options)["notes"]

      assert %{"links" => [%{"id" => ^link, "intensity" => praised}], "unmoved" => []} =
               SoulMem.feedback!("mei", [place], 1, options)

      assert_in_delta praised, 1.1, 1.0e-9
      assert %{"links" => [], "unmoved" => [^bird]} = SoulMem.feedback!("mei", [bird], -1, options)
      assert %{"ids" => [^link]} = SoulMem.delete_links!("mei", [link, bird], options)
      assert [%{"id" => ^bird}] = SoulMem.retrieve!("mei", ask, options)["notes"]
      assert %{"ids" => [^bird]} = SoulMem.delete_notes!("mei", [bird], options)
      assert [] = SoulMem.retrieve!("mei", ask, options)["notes"]
      assert {:error, %Error{reason: :not_found}} = SoulMem.get_notes("mei", [bird], options)
    end
  end

  describe "what was said" do
    test "is made memory of, and subscribers are told", %{tmp_dir: dir} do
      options = [instance: Tree.real(dir)]
      SoulMem.create_soul!("mei", options)
      :ok = SoulMem.subscribe("mei", [events: [:consolidated]] ++ options)
      SoulMem.push!("mei", "我最喜欢肉桂", options)

      assert {:ok, %{"job" => job, "report" => %{"messages" => 1, "created" => [note]}}} =
               SoulMem.consolidate("mei", [wait: true] ++ options)

      assert_receive {:soulmem, %{event: "consolidated", soul: "mei", payload: %{"job" => ^job}}}, 5_000
      assert %{"notes" => [%{"tags" => ["Preference", "like"]}]} = SoulMem.get_notes!("mei", [note], options)
    end
  end

  describe "forgetting" do
    test "is shown, done, told and taken back", %{tmp_dir: dir} do
      options = [instance: Tree.real(dir)]
      SoulMem.create_soul!("mei", options)
      assert [%{"id" => bird}] = SoulMem.put_notes!("mei", [note("震旦鸦雀")], options)["notes"]
      later = [now: "2100-01-01T00:00:00Z"]

      assert %{"notes" => [%{"id" => ^bird, "archive" => true}], "report" => would} =
               SoulMem.forget!("mei", [dry_run: true] ++ later ++ options)

      :ok = SoulMem.subscribe("mei", [events: ["forgotten"]] ++ options)
      assert %{"report" => ^would} = SoulMem.forget!("mei", later ++ options)
      assert_receive {:soulmem, %{event: "forgotten", soul: "mei", payload: ^would}}, 5_000
      assert [%{"archived_at" => "2" <> _}] = SoulMem.get_notes!("mei", [bird], options)["remembered"]
      assert %{"restored" => [^bird]} = SoulMem.forget!("mei", [restore: [bird]] ++ options)
      assert [%{"id" => ^bird}] = SoulMem.retrieve!("mei", "震旦鸦雀", options)["notes"]
    end
  end

  describe "what the daemon refuses" do
    test "has a reason", %{tmp_dir: dir} do
      options = [instance: Tree.real(dir)]
      assert {:error, %Error{reason: :unknown_soul}} = SoulMem.push("nobody", "hi", options)
      SoulMem.create_soul!("mei", options)
      SoulMem.push!("mei", "hi", options)
      assert {:error, %Error{reason: :conflict}} = SoulMem.create_soul("mei", options)

      assert {:error, %Error{reason: :unknown_op, op: "dance", soul: "mei"}} =
               SoulMem.call("dance", "mei", %{}, options)

      assert {:error, %Error{reason: :invalid_argument, details: %{"field" => field}}} =
               SoulMem.retrieve("mei", "hi", [limmit: 1] ++ options)

      assert field =~ "options"
      assert {:error, %Error{reason: :invalid_argument}} = SoulMem.push("Mei!", "hi", options)
    end

    test "a wrong token", %{tmp_dir: dir} do
      instance = Tree.real(dir)
      {:up, ready} = instance |> Instance.process(Daemon) |> Daemon.watch()
      endpoint = start_supervised!({Endpoint, %{ready | token: fn -> String.duplicate("0", 64) end}})

      log =
        capture_log(fn ->
          connection = start_supervised!({Connection, connection_options(endpoint)})
          assert {:error, %Error{reason: :daemon_down}} = Connection.await(connection, 300)
        end)

      assert log =~ "it refused hello"
      refute log =~ ready.token.()
      assert {:ok, _} = SoulMem.health(instance: instance)
    end
  end

  describe "SIGKILL of the daemon" do
    test "fails what is in flight and nothing else; it is back and serving", %{tmp_dir: dir} do
      instance = Tree.real(dir)
      options = [instance: instance]
      SoulMem.create_soul!("mei", options)
      before = SoulMem.push!("mei", "之前", options)["ids"]

      processes = for part <- [Daemon, Connection, SoulMem.Ambassador, Dependents], do: Tree.process(instance, part)

      assert Dependents.watch(instance) == :up

      {:ok, os_pid} = instance |> Instance.process(Daemon) |> Daemon.os_pid()
      stop(os_pid)
      calls = for n <- 1..20, do: Task.async(fn -> SoulMem.push("mei", "#{n}", [retries: 0] ++ options) end)
      await_in_flight(instance, 20)
      signal(os_pid, "KILL")
      for call <- calls, do: assert({:error, %Error{reason: :daemon_down}} = Task.await(call))

      assert_receive {Dependents, :down}, 5_000
      assert_receive {Dependents, :up}, 20_000
      assert [%{"id" => id}] = SoulMem.list_messages!("mei", options)["messages"]
      assert before == [id]
      assert {:ok, _} = SoulMem.push("mei", "之后", options)

      assert processes ==
               for(
                 part <- [Daemon, Connection, SoulMem.Ambassador, Dependents],
                 do: Tree.process(instance, part)
               )
    end

    test "dependents are stopped in reverse and started again in order", %{tmp_dir: dir} do
      instance = Tree.real(dir, dependents: for(name <- [:a, :b], do: {TellingChild, {name, self()}}))

      assert [started: :a, started: :b] = for(_ <- 1..2, do: next())
      {:ok, os_pid} = instance |> Instance.process(Daemon) |> Daemon.os_pid()
      signal(os_pid, "KILL")
      assert for(_ <- 1..4, do: next()) == [stopped: :b, stopped: :a, started: :a, started: :b]
    end

    test "subscribers are told of the gap, and of what comes after it", %{tmp_dir: dir} do
      instance = Tree.real(dir)
      options = [instance: instance]
      SoulMem.create_soul!("mei", options)
      assert :ok = SoulMem.subscribe("mei", [events: [:"note.changed"]] ++ options)
      SoulMem.put_notes!("mei", [note("一")], options)

      assert_receive {:soulmem, %{event: "note.changed", soul: "mei", payload: %{"ids" => [_]}}},
                     5_000

      {:ok, os_pid} = instance |> Instance.process(Daemon) |> Daemon.os_pid()
      signal(os_pid, "KILL")
      assert_receive {:soulmem, %{event: "owner_lost"}}, 5_000
      assert_receive {:soulmem, %{event: "owner_back"}}, 20_000
      SoulMem.put_notes!("mei", [note("二")], options)
      assert_receive {:soulmem, %{event: "note.changed"}}, 5_000
    end
  end

  describe "the end" do
    test "of the tree is the end of the daemon, in good order", %{tmp_dir: dir} do
      instance = Tree.real(dir)
      {:ok, os_pid} = instance |> Instance.process(Daemon) |> Daemon.os_pid()
      level = Logger.level()
      Logger.configure(level: :info)
      log = capture_log(fn -> stop_supervised!(instance) end)
      Logger.configure(level: level)
      assert log =~ "soulmem daemon stopped: it left with exit status 0"
      refute Script.alive?(os_pid)
    end

    # The daemon inherits the standard error of its node: the pipe ends when both have.
    test "of the VM by SIGKILL leaves no daemon behind", %{tmp_dir: dir} do
      node = port(dir)
      assert_receive {^node, {:data, {:eol, "daemon " <> os_pid}}}, 30_000
      {:os_pid, vm} = Port.info(node, :os_pid)
      assert Script.alive?(os_pid)
      signal(vm, "KILL")
      assert_receive {^node, :eof}, 6_000
    end
  end

  # Another VM with a tree of its own; it says which process is its daemon.
  defp port(dir) do
    script = ~S"""
    [path, data_dir] = System.argv()
    Application.put_all_env(soulmem: [role: :daemon, daemon_path: path, data_dir: data_dir])
    {:ok, _} = Application.ensure_all_started(:soulmem)
    :ok = SoulMem.await_ready()
    {:ok, os_pid} = SoulMem.Daemon.os_pid(SoulMem.Daemon)
    IO.puts("daemon #{os_pid}")
    Process.sleep(:infinity)
    """

    path = Application.fetch_env!(:soulmem_test, :daemon_path)

    arguments = [
      "-pa",
      Application.app_dir(:soulmem, "ebin"),
      "-e",
      script,
      "--",
      path,
      Path.join(dir, "data")
    ]

    Port.open(
      {:spawn_executable, System.find_executable("elixir")},
      [:binary, :eof, :stderr_to_stdout, {:line, 10_000}, {:args, arguments}]
    )
  end

  defp connection_options(endpoint) do
    [role: :relay] |> Options.start!() |> Keyword.drop([:name]) |> Keyword.put(:daemon, endpoint)
  end

  defp await_in_flight(instance, count) do
    {_state, data} = instance |> Instance.process(Connection) |> :sys.get_state()
    unless SoulMem.InFlight.size(data.in_flight) == count, do: await_in_flight(instance, count)
  end

  defp note(content) do
    %{
      tags: ["鸟"],
      mem_type: %{
        "Semantic" => %{
          content: content,
          aliases: [],
          concept_type: "Entity",
          description: content
        }
      }
    }
  end

  defp next do
    receive do
      {:started, name, _pid} -> {:started, name}
      {:stopped, name} -> {:stopped, name}
    after
      20_000 -> :nothing
    end
  end

  # Every thread of it, which takes a moment after the signal.
  defp stop(os_pid) do
    signal(os_pid, "STOP")
    await_stopped(os_pid)
  end

  defp await_stopped(os_pid) do
    states = for stat <- Path.wildcard("/proc/#{os_pid}/task/*/stat"), do: stat |> File.read!() |> state_in()
    unless Enum.all?(states, &(&1 == "T")), do: await_stopped(os_pid)
  end

  # After the name in parentheses.
  defp state_in(stat), do: stat |> String.split(") ") |> List.last() |> String.first()

  defp signal(os_pid, name), do: {_, 0} = System.cmd("/bin/sh", ["-c", "kill -#{name} #{os_pid}"])
end
