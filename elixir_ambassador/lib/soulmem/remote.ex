defmodule SoulMem.Remote do
  @moduledoc false
  # Messages to other nodes that never hold the sender: not by a link that is congested or cut (`:nosuspend`), nor by
  # a machine that is off (`:noconnect`). A three-megabyte send to a peer that no longer reads suspends a plain `send`
  # for a minute.

  alias SoulMem.{Membership, Request}

  # How long a congested link is left alone before the next try.
  @pause 10

  @type outcome() :: {:ok, term()} | {:error, :unreachable | :congested | :deadline}

  @doc "Asks a named server of a node, which answers like any `GenServer`."
  @spec call(atom(), atom(), node(), Request.t()) :: outcome()
  def call(instance, name, node, %Request{} = request) do
    case Membership.peer(instance, node) do
      {:ok, peer} -> call_watched(peer, {name, node}, request)
      :error -> {:error, :unreachable}
    end
  end

  @doc "Answers a call, for as long as that makes sense."
  @spec reply(GenServer.from(), term(), Request.t()) :: :ok
  def reply(from, answer, request) do
    case reply_now(from, answer) do
      :ok ->
        :ok

      _congested ->
        unless Request.expired?(request) do
          Process.sleep(@pause)
          reply(from, answer, request)
        end

        :ok
    end
  end

  @doc "Answers a call if that can be done at once."
  @spec reply_now(GenServer.from(), term()) :: :ok | :nosuspend | :noconnect
  def reply_now({_pid, [:alias | alias] = tag}, answer), do: send_now(alias, {tag, answer})
  def reply_now({pid, tag}, answer), do: send_now(pid, {tag, answer})

  @doc "Sends if that can be done at once."
  @spec send_now(Process.dest(), term()) :: :ok | :nosuspend | :noconnect
  def send_now(destination, message), do: :erlang.send(destination, message, [:nosuspend, :noconnect])

  defp call_watched(peer, server, request) do
    monitor = :erlang.monitor(:process, peer, alias: :reply_demonitor)

    with :ok <- transmit(server, monitor, request), do: await(monitor, request)
  end

  # The tag of a call whose answer goes to an alias is an improper list: OTP's own form.
  @dialyzer {:no_improper_lists, transmit: 3}

  defp transmit(server, monitor, request) do
    tag = [:alias | monitor]

    case send_now(server, {:"$gen_call", {self(), tag}, Request.to_remote(request)}) do
      :ok -> :ok
      _congested_or_connecting -> transmit_later(server, monitor, request)
    end
  end

  defp transmit_later(server, monitor, request) do
    receive do
      {:DOWN, ^monitor, :process, _peer, _reason} -> {:error, :unreachable}
    after
      @pause ->
        if Request.expired?(request),
          do: give_up(monitor, :congested),
          else: transmit(server, monitor, request)
    end
  end

  defp await(monitor, request) do
    receive do
      {[:alias | ^monitor], answer} -> {:ok, answer}
      {:DOWN, ^monitor, :process, _peer, _reason} -> {:error, :unreachable}
    after
      max(Request.remaining_ms(request), 0) -> give_up(monitor, :deadline)
    end
  end

  # After this an answer that comes late goes nowhere.
  defp give_up(monitor, reason) do
    Process.demonitor(monitor, [:flush])

    receive do
      {[:alias | ^monitor], answer} -> {:ok, answer}
    after
      0 -> {:error, reason}
    end
  end
end
