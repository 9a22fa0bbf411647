defmodule SoulMem.DependentsTest do
  use ExUnit.Case, async: true

  alias SoulMem.{Connection, Dependents, FakeServer, Roster, TellingChild, Tree}

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
    [first, second] = for _ <- 1..2, do: watcher(instance)
    # What is sent, in the order of sending.
    :erlang.trace(Tree.process(instance, Roster), true, [:send])

    :gen_tcp.close(socket)
    assert next_told() == {second, :down}
    assert next_told() == {first, :down}
    FakeServer.welcome(listener)
    assert next_told() == {first, :up}
    assert next_told() == {second, :up}
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

  test "the chain C, B, A: a kill of C stops A, then B, and starts C, B, A", %{tmp_dir: dir} do
    {instance, _socket, _listener} =
      Tree.played(dir, dependents: for(name <- [:c, :b, :a], do: {TellingChild, {name, self()}}))

    assert told(3) == [started: :c, started: :b, started: :a]
    before = Dependents.children(instance)
    Process.exit(before[:c], :kill)
    assert told(5) == [stopped: :a, stopped: :b, started: :c, started: :b, started: :a]
    now = Dependents.children(instance)
    assert Keyword.keys(now) == [:c, :b, :a]
    for {name, pid} <- now, do: assert(Process.alive?(pid) and pid != before[name])
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

  defp watcher(instance) do
    test = self()

    watcher =
      spawn_link(fn ->
        :up = Dependents.watch(instance)
        send(test, {:watching, self()})
        Process.sleep(:infinity)
      end)

    assert_receive {:watching, ^watcher}, 5_000
    watcher
  end

  defp next_told do
    assert_receive {:trace, _roster, :send, {Dependents, condition}, watcher}, 5_000
    {watcher, condition}
  end
end
