defmodule SoulMem.Ownership do
  @moduledoc false
  # A character has one owner. That two machines claim to be it (a copied disk, a restored backup) is found here, on both:
  # each asks the other, and where the other says so too, has its daemon refuse writes until a human has chosen. The
  # daemon keeps that: it holds after a restart, and while the machines do not see each other.

  use GenServer

  require Logger

  alias SoulMem.{Ambassador, Announcer, Error, Instance, Membership, Options, Request, Router}

  @ask_timeout 10_000

  # A node that could not be asked is asked again.
  @again 2_000

  @enforce_keys [:instance]
  defstruct [:instance, asking: %{}]

  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(options) do
    instance = Keyword.fetch!(options, :instance)
    GenServer.start_link(__MODULE__, instance, name: Instance.process(instance, __MODULE__))
  end

  @doc "What the copy of a node is, and how far its journal and every outbox have come in it."
  @spec of(node(), String.t(), Instance.t()) :: {:ok, map()} | {:error, Error.t()}
  def of(node, soul, instance), do: ask(node, soul, %{}, instance)

  @doc "Makes the copy of a node that, in its daemon and for the cluster."
  @spec set(node(), String.t(), map(), Instance.t()) :: {:ok, map()} | {:error, Error.t()}
  def set(node, soul, ownership, instance), do: ask(node, soul, %{set: ownership}, instance)

  @doc "Tells the cluster what this node's daemon was just told that its copy is."
  @spec concluded(String.t(), map(), Instance.t()) :: :ok
  def concluded(soul, %{"ownership" => %{"state" => state}}, instance) do
    how = if state in ["owner", "contested"], do: :made, else: :gone
    Announcer.changed(instance, how, soul)
  end

  @impl true
  def init(instance) do
    :ok = Membership.watch(instance)
    {:ok, %__MODULE__{instance: instance}, {:continue, :look}}
  end

  @impl true
  def handle_continue(:look, state) do
    souls = Membership.souls(state.instance)
    {:noreply, Enum.reduce(souls, state, &look(&2, &1))}
  end

  @impl true
  def handle_info({Membership, :found, soul, _node}, state), do: {:noreply, look(state, soul)}
  def handle_info({:look, soul}, state), do: {:noreply, look(state, soul)}

  def handle_info({task, outcome}, state) when is_map_key(state.asking, task) do
    Process.demonitor(task, [:flush])
    {soul, asking} = Map.pop!(state.asking, task)
    if outcome == :again, do: Process.send_after(self(), {:look, soul}, @again)
    {:noreply, %{state | asking: asking}}
  end

  def handle_info({:DOWN, task, :process, _pid, _reason}, state) when is_map_key(state.asking, task) do
    {soul, asking} = Map.pop!(state.asking, task)
    Process.send_after(self(), {:look, soul}, @again)
    {:noreply, %{state | asking: asking}}
  end

  def handle_info(_other, state), do: {:noreply, state}

  # This process waits for nobody: a task asks.
  defp look(state, soul) do
    owners = Membership.owners(state.instance, soul)

    if node() in owners and length(owners) > 1 and soul not in Map.values(state.asking) do
      supervisor = Instance.process(state.instance, SoulMem.Senders)
      instance = state.instance
      %Task{ref: task} = Task.Supervisor.async_nolink(supervisor, fn -> compare(soul, owners, instance) end)
      put_in(state.asking[task], soul)
    else
      state
    end
  end

  # What was announced may be over by now; what the copies say of themselves counts.
  defp compare(soul, owners, instance) do
    copies = for node <- owners, do: {node, node |> of(soul, instance) |> known()}

    cond do
      Enum.any?(copies, &match?({_node, {:error, _error}}, &1)) -> :again
      match?([_, _ | _], claims = claims(copies)) -> contest(soul, claims, Map.new(copies)[node()], instance)
      true -> :done
    end
  end

  # A daemon of a version that knows nothing of owners writes to what it has: it claims it, whatever else it may be told.
  defp known({:error, %Error{reason: :unknown_op}}), do: {:ok, %{"ownership" => %{"state" => "owner"}, "position" => 0}}
  defp known(answer), do: answer

  defp claims(copies) do
    for {node, {:ok, %{"ownership" => %{"state" => state}} = copy}} <- copies, state in ["owner", "contested"] do
      %{"node" => Atom.to_string(node), "position" => copy["position"]}
    end
  end

  # Found before, and nobody has come since: where the journals stood then is what tells the copies apart.
  defp contest(soul, claims, {:ok, %{"ownership" => %{"state" => "contested", "claims" => known}}}, instance) do
    if nodes(claims) == nodes(known), do: :done, else: write_contest(soul, claims, instance)
  end

  defp contest(soul, claims, _owner, instance), do: write_contest(soul, claims, instance)

  defp write_contest(soul, claims, instance) do
    case set(node(), soul, %{state: "contested", claims: claims}, instance) do
      {:ok, _copy} ->
        Logger.error(
          "#{soul} is on more than one machine (#{Enum.join(nodes(claims), ", ")}): none of them is written to until " <>
            "SoulMem.choose/3 says which"
        )

        :done

      {:error, error} ->
        Logger.error("#{soul} is on more than one machine: #{Exception.message(error)}")
        if error.reason == :unknown_op, do: :done, else: :again
    end
  end

  defp nodes(claims), do: Enum.sort(for claim <- claims, do: claim["node"])

  defp ask(node, soul, payload, instance) do
    options = Options.call!(instance: instance, timeout: @ask_timeout)

    with {:ok, request} <- Request.new("soul.owner", soul, payload, options) do
      if node == node(), do: Router.local(request, instance), else: Ambassador.call(node, instance, request)
    end
  end
end
