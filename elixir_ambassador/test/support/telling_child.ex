defmodule SoulMem.TellingChild do
  @moduledoc false
  # Tells the test when it starts and when it is stopped.

  use GenServer

  def child_spec({name, test}), do: %{id: name, start: {GenServer, :start_link, [__MODULE__, {name, test}]}}

  @impl true
  def init({name, test}) do
    Process.flag(:trap_exit, true)
    send(test, {:started, name, self()})
    {:ok, {name, test}}
  end

  @impl true
  def terminate(_reason, {name, test}), do: send(test, {:stopped, name})
end
