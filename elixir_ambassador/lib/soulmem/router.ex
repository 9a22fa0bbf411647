defmodule SoulMem.Router do
  @moduledoc false
  # Takes a call to whoever can answer it, and again if that failed in passing and the caller allows it. Every try
  # is the same request: same idempotency key, same deadline.

  alias SoulMem.{Ambassador, Backoff, Connection, Error, Instance, Options, Request, Telemetry}

  @retry_backoff [min: 50, max: 1_000]

  @spec call(String.t(), String.t() | nil, map(), keyword()) :: {:ok, map()} | {:error, Error.t()}
  def call(op, soul, payload, options) do
    options = Options.call!(options)
    started = System.monotonic_time()

    with {:ok, request} <- Request.new(op, soul, payload, options) do
      {result, attempts} = attempt(request, options, Backoff.new(@retry_backoff), 1)
      measured(result, request, attempts, System.monotonic_time() - started)
    end
  end

  @doc "Has this node's own daemon answer."
  @spec local(Request.t(), Instance.t()) :: {:ok, map()} | {:error, Error.t()}
  def local(request, instance) do
    case connection(instance) do
      {:ok, connection} -> Connection.request(connection, request)
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
    case options[:node] do
      elsewhere when elsewhere not in [nil, node()] ->
        Ambassador.call(elsewhere, options[:instance], request)

      _here ->
        local(request, options[:instance])
    end
  end

  defp measured(result, request, attempts, duration) do
    metadata = %{op: request.op, soul: request.soul, result: outcome(result)}
    Telemetry.execute([:call, :stop], %{duration: duration, attempts: attempts}, metadata)
    result
  end

  defp outcome({:ok, _payload}), do: :ok
  defp outcome({:error, error}), do: error.reason
end
