defmodule SoulMem.Connection do
  @moduledoc false
  # The one connection of this node to its daemon, as others see it; `SoulMem.Connection.Machine` is what it does.
  #
  # A watcher gets `{SoulMem.Connection, :up, hello}`, `{SoulMem.Connection, :down, reason}` and
  # `{SoulMem.Connection, :event, message}`.

  alias SoulMem.Connection.Machine
  alias SoulMem.{Error, Request}

  # How much longer than its deadline a caller waits for the connection itself to answer.
  @grace 200

  @doc false
  def child_spec(options), do: %{id: __MODULE__, start: {__MODULE__, :start_link, [options]}}

  @doc "Starts it; of its options, `:daemon` is the process to watch for where to connect."
  @spec start_link(keyword()) :: :gen_statem.start_ret()
  def start_link(options) do
    case Keyword.pop(options, :name) do
      {nil, options} -> :gen_statem.start_link(Machine, options, [])
      {name, options} -> :gen_statem.start_link({:local, name}, Machine, options, [])
    end
  end

  @doc "Sends the request and returns its answer's payload, at the latest when its deadline has passed."
  @spec request(:gen_statem.server_ref(), Request.t()) :: {:ok, map()} | {:error, Error.t()}
  def request(server, %Request{} = request) do
    patience = max(Request.remaining_ms(request), 0) + @grace

    case call(server, {:request, request}, patience) do
      {:ok, answer} -> answer
      {:error, reason} -> {:error, Error.new(reason, op: request.op, soul: request.soul)}
    end
  end

  @doc "Returns once requests go through."
  @spec await(:gen_statem.server_ref(), pos_integer()) :: :ok | {:error, Error.t()}
  def await(server, timeout) do
    case call(server, :await, timeout) do
      {:ok, :ok} ->
        :ok

      {:error, _reason} ->
        {:error, Error.new(:daemon_down, detail: "not ready within #{timeout} ms")}
    end
  end

  @doc "Tells the calling process what happens from now on, and returns how it stands."
  @spec watch(:gen_statem.server_ref()) :: {:up, hello :: map()} | :down
  def watch(server), do: :gen_statem.call(server, {:watch, self()})

  defp call(server, message, timeout) do
    {:ok, :gen_statem.call(server, message, timeout)}
  catch
    :exit, {:timeout, _call} -> {:error, :deadline}
    :exit, _gone -> {:error, :daemon_down}
  end
end
