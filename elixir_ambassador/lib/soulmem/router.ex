defmodule SoulMem.Router do
  @moduledoc false
  # Takes a call to whoever can answer it, and again if that failed in passing and the caller allows it. Every try
  # is the same request, with the same idempotency key and the same deadline, but looks for the owner anew.

  alias SoulMem.{
    Ambassador,
    Announcer,
    Backoff,
    Connection,
    Error,
    Instance,
    Membership,
    Options,
    Outbox,
    Ownership,
    Request,
    Telemetry
  }

  @retry_backoff [min: 50, max: 1_000]

  @type place() :: {:ok, node()} | {:error, Error.t()}

  @spec call(String.t(), String.t() | nil, map(), keyword()) :: {:ok, map()} | {:error, Error.t()}
  def call(op, soul, payload, options) do
    options = Options.call!(options)
    started = System.monotonic_time()

    with {:ok, request} <- Request.new(op, soul, payload, options) do
      {result, attempts} = attempt(request, options, Backoff.new(@retry_backoff), 1)
      measured(result, request, attempts, System.monotonic_time() - started)
    end
  end

  @doc "Has this node's own daemon answer, and tells the cluster what follows from it."
  @spec local(Request.t(), Instance.t()) :: {:ok, map()} | {:error, Error.t()}
  def local(request, instance), do: request |> unannounced(instance) |> concluded(request, instance)

  @doc "Has this node's own daemon answer, and nobody told."
  @spec unannounced(Request.t(), Instance.t()) :: {:ok, map()} | {:error, Error.t()}
  def unannounced(request, instance) do
    case connection(instance) do
      {:ok, connection} -> Connection.request(connection, request)
      # What this node knows of the others is all there is to say.
      {:error, :no_owner} when request.op == "health" -> {:ok, %{}}
      {:error, reason} -> {:error, Error.new(reason, op: request.op, soul: request.soul)}
    end
  end

  @doc "Where requests of this node go: its own daemon's connection, or nowhere."
  @spec connection(Instance.t()) :: {:ok, atom()} | {:error, Error.reason()}
  def connection(instance) do
    case Instance.role(instance) do
      {:ok, :daemon} -> {:ok, Instance.process(instance, Connection)}
      {:ok, :relay} -> {:error, :no_owner}
      :error -> {:error, :not_started}
    end
  end

  @doc "The node that a character's requests go to."
  @spec owner(Instance.t(), String.t()) :: {:ok, node()} | {:error, Error.reason()}
  def owner(instance, soul) do
    case Membership.owners(instance, soul) do
      [] -> unowned(instance, soul)
      owners -> {:ok, if(node() in owners, do: node(), else: hd(owners))}
    end
  end

  # Nobody serves it. If its owner was here a moment ago it will be back; else this node's daemon may have it since a
  # moment ago, and knows best.
  defp unowned(instance, soul) do
    case {Membership.lost_owner(instance, soul), connection(instance)} do
      {{:ok, lost}, {:ok, _connection}} when lost == node() -> {:ok, node()}
      {{:ok, _lost}, _here} -> {:error, :unreachable}
      {:error, {:ok, _connection}} -> {:ok, node()}
      {:error, {:error, reason}} -> {:error, reason}
    end
  end

  defp attempt(request, options, backoff, attempts) do
    result = once(request, options)
    {pause, backoff} = Backoff.next(backoff)

    if again?(result) and attempts <= options[:retries] and pause < Request.remaining_ms(request) do
      Process.sleep(pause)
      attempt(request, options, backoff, attempts + 1)
    else
      {result, attempts}
    end
  end

  defp again?({:error, %Error{retryable: retryable}}), do: retryable
  defp again?({:ok, _payload}), do: false

  defp once(request, options) do
    case place(request, options) do
      {:ok, here} when here == node() -> local(request, options[:instance])
      {:ok, elsewhere} -> Ambassador.call(elsewhere, options[:instance], request)
      {:error, error} -> {:error, error}
    end
  end

  @spec place(Request.t(), keyword()) :: place()
  defp place(request, options) do
    case {options[:node], request} do
      {nil, %Request{soul: nil}} -> {:ok, node()}
      {nil, %Request{op: "soul.create"}} -> birthplace(request, options[:instance])
      {nil, %Request{soul: soul}} -> placed(owner(options[:instance], soul), request)
      {node, _request} -> {:ok, node}
    end
  end

  # Two characters of one name, made on two machines, would be in conflict from the first day.
  defp birthplace(request, instance) do
    case Membership.owners(instance, request.soul) -- [node()] do
      [] ->
        {:ok, node()}

      [owner | _] ->
        {:error, Error.new(:conflict, op: request.op, soul: request.soul, detail: "it lives on #{owner}")}
    end
  end

  defp placed({:ok, node}, _request), do: {:ok, node}
  defp placed({:error, reason}, request), do: {:error, Error.new(reason, op: request.op, soul: request.soul)}

  defp concluded({:ok, _payload} = result, %Request{op: "soul.create", soul: soul}, instance) do
    Announcer.changed(instance, :made, soul)
    result
  end

  defp concluded({:ok, _payload} = result, %Request{op: "soul.drop", soul: soul}, instance) do
    Announcer.changed(instance, :gone, soul)
    result
  end

  defp concluded({:ok, payload} = result, %Request{op: "soul.owner", soul: soul}, instance) do
    Ownership.concluded(soul, payload, instance)
    result
  end

  defp concluded({:ok, _payload} = result, %Request{op: "restore"}, instance) do
    Announcer.look(instance)
    result
  end

  defp concluded({:ok, payload}, %Request{op: "health"}, instance) do
    outbox = if report = Outbox.report(instance), do: %{"outbox" => report}, else: %{}
    {:ok, payload |> Map.put("cluster", Membership.report(instance)) |> Map.merge(outbox)}
  end

  defp concluded(result, _request, _instance), do: result

  defp measured(result, request, attempts, duration) do
    metadata = %{op: request.op, soul: request.soul, result: outcome(result)}
    Telemetry.execute([:call, :stop], %{duration: duration, attempts: attempts}, metadata)
    result
  end

  defp outcome({:ok, _payload}), do: :ok
  defp outcome({:error, error}), do: error.reason
end
