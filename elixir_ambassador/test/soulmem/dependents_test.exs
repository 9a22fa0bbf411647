defmodule SoulMem.DependentsTest do
  use ExUnit.Case, async: true

  alias SoulMem.{Connection, Dependents, FakeServer, TellingChild, Tree}

  @moduletag :tmp_dir
  @moduletag :capture_log

  defmodule Refusing do
    def child_spec(_), do: %{id: :refusing, start: {__MODULE__, :start_link, []}}
    def start_link, do: {:error, :not_today}
  end

  test "are stopped in reverse order when the daemon goes, and started in order when it is back",
       %{tmp_dir: dir} do
    {instance, socket, listener} = Tree.played(dir, dependents: [{TellingChild, {:a, self()}}])
    :ok = Dependents.add({TellingChild, {:b, self()}}, instance)
    :ok = Dependents.add({TellingChild, {:c, self()}}, instance)
    assert told(3) == [started: :a, started: :b, started: :c]
    assert [a: a, b: _, c: _] = Dependents.children(instance)
    assert Process.alive?(a)

    :gen_tcp.close(socket)
    assert told(3) == [stopped: :c, stopped: :b, stopped: :a]

    FakeServer.welcome(listener)
    assert told(3) == [started: :a, started: :b, started: :c]
  end

  test "watchers are told before the first is stopped, and after the last has started", %{
    tmp_dir: dir
  } do
    {instance, socket, listener} = Tree.played(dir, dependents: [{TellingChild, {:a, self()}}])
    assert told(1) == [started: :a]
    assert Dependents.watch(instance) == :up

    :gen_tcp.close(socket)
    assert told(2) == [Dependents: :down, stopped: :a]
    FakeServer.welcome(listener)
    assert told(2) == [started: :a, Dependents: :up]
  end

  test "the watcher that came last is told first of the end", %{tmp_dir: dir} do
    {instance, socket, listener} = Tree.played(dir)
    test = self()

    # Each passes on what it is told and waits until the test has seen it: so the order of telling is the order
    # of arrival, because the roster tells from one process and the messages to the first watcher come later.
    for name <- [:first, :second] do
      watcher =
        spawn_link(fn ->
          :up = Dependents.watch(instance)
          send(test, {:watching, name})
          pass_on(test, name)
        end)

      assert_receive {:watching, ^name}
      :erlang.trace(watcher, true, [:receive, :monotonic_timestamp])
    end

    :gen_tcp.close(socket)
    FakeServer.welcome(listener)

    for name <- [:first, :second], condition <- [:down, :up], do: assert_receive({^name, ^condition}, 5_000)

    times = for _ <- 1..4, do: trace_time()

    assert [{_, :down}, {_, :down}, {_, :up}, {_, :up}] = order = times |> Enum.sort() |> Enum.map(&elem(&1, 1))

    [{second, :down}, {first, :down}, {first, :up}, {second, :up}] = order
    assert first != second
  end

  test "unwatch ends it, and so does the watcher's own end", %{tmp_dir: dir} do
    {instance, socket, listener} = Tree.played(dir)
    Dependents.watch(instance)
    Dependents.unwatch(instance)
    gone = Task.async(fn -> Dependents.watch(instance) end)
    assert Task.await(gone) == :up

    :gen_tcp.close(socket)
    FakeServer.welcome(listener)
    :ok = SoulMem.await_ready(instance: instance)
    assert Dependents.watch(instance) in [:up, :down]
    refute_received {Dependents, _condition}
  end

  test "one that fails takes those after it along, not those before, nor the daemon", %{
    tmp_dir: dir
  } do
    {instance, _socket, _listener} =
      Tree.played(dir, dependents: for(name <- [:a, :b, :c], do: {TellingChild, {name, self()}}))

    assert told(3) == [started: :a, started: :b, started: :c]
    connection = Tree.process(instance, Connection)
    Process.exit(Dependents.children(instance)[:b], :kill)
    assert told(3) == [stopped: :c, started: :b, started: :c]
    assert Tree.process(instance, Connection) == connection
  end

  test "one that falls too often is tried again later, and what else there is stays", %{
    tmp_dir: dir
  } do
    {instance, _socket, _listener} = Tree.played(dir, dependents: [{TellingChild, {:a, self()}}])
    connection = Tree.process(instance, Connection)

    # Four falls within five seconds are one more than a supervisor bears; the fifth start is the back-off's.
    for _ <- 1..4 do
      assert_receive {:started, :a, pid}, 5_000
      Process.exit(pid, :kill)
    end

    assert_receive {:started, :a, _pid}, 5_000
    assert Tree.process(instance, Connection) == connection
  end

  test "registrations outlive the processes that act on them", %{tmp_dir: dir} do
    {instance, _socket, listener} = Tree.played(dir)
    :ok = Dependents.add({TellingChild, {:a, self()}}, instance)
    assert told(1) == [started: :a]
    Process.exit(Tree.process(instance, Connection), :kill)
    assert told(1) == [stopped: :a]
    FakeServer.welcome(listener)
    assert told(1) == [started: :a]
  end

  test "are added once, removed by id, and refused if they do not start", %{tmp_dir: dir} do
    {instance, _socket, _listener} = Tree.played(dir)
    :ok = Dependents.add({TellingChild, {:a, self()}}, instance)
    assert Dependents.add({TellingChild, {:a, self()}}, instance) == {:error, :already_present}
    assert {:error, {:not_today, _child}} = Dependents.add(Refusing, instance)
    assert [a: _] = Dependents.children(instance)

    assert Dependents.remove(:a, instance) == :ok
    assert told(2) == [started: :a, stopped: :a]
    assert Dependents.remove(:a, instance) == {:error, :not_found}
    assert Dependents.children(instance) == []
  end

  test "one added while the daemon is away waits for it", %{tmp_dir: dir} do
    {instance, socket, listener} = Tree.played(dir)
    Dependents.watch(instance)
    :gen_tcp.close(socket)
    assert_receive {Dependents, :down}, 5_000
    :ok = Dependents.add({TellingChild, {:a, self()}}, instance)
    assert Dependents.children(instance) == [a: nil]
    FakeServer.welcome(listener)
    assert told(2) == [started: :a, Dependents: :up]
  end

  defp told(count) do
    for _ <- 1..count do
      receive do
        {:started, name, _pid} -> {:started, name}
        {:stopped, name} -> {:stopped, name}
        {Dependents, condition} -> {:Dependents, condition}
      after
        5_000 -> :nothing
      end
    end
  end

  defp pass_on(test, name) do
    receive do
      {Dependents, condition} -> send(test, {name, condition})
    end

    pass_on(test, name)
  end

  defp trace_time do
    assert_receive {:trace_ts, watcher, :receive, {Dependents, condition}, time}
    {time, {watcher, condition}}
  end
end
