defmodule SoulMem.Listener do
  @moduledoc false
  # On another node: subscribes to a character, and tells the test what it hears, by way of the test's own questions.

  use GenServer

  def start(soul, options), do: GenServer.start(__MODULE__, {soul, options}, name: __MODULE__)

  @doc "The next event of that name; those before it are let go."
  def await(event), do: GenServer.call(__MODULE__, {:await, event}, :infinity)

  @impl true
  def init({soul, options}) do
    case SoulMem.subscribe(soul, options) do
      :ok -> {:ok, %{heard: [], waiting: nil}}
      {:error, error} -> {:stop, error}
    end
  end

  @impl true
  def handle_call({:await, event}, from, state), do: {:noreply, answer(%{state | waiting: {from, event}})}

  @impl true
  def handle_info({:soulmem, event}, state), do: {:noreply, answer(%{state | heard: state.heard ++ [event]})}

  defp answer(%{waiting: {from, name}} = state) do
    case Enum.drop_while(state.heard, &(&1.event != name)) do
      [] ->
        state

      [event | later] ->
        GenServer.reply(from, event)
        %{state | heard: later, waiting: nil}
    end
  end

  defp answer(state), do: state
end
