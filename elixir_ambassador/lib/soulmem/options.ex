defmodule SoulMem.Options do
  @moduledoc false
  # Every option of a tree and of a call is validated here, once, with a message that names it.

  @mebibyte 1024 * 1024

  @start [
    name: SoulMem,
    role: :daemon,
    daemon_path: nil,
    data_dir: nil,
    daemon_args: [],
    daemon_env: [],
    ready_timeout: 30_000,
    drain_timeout: 6_000,
    stable_after: 1_000,
    restart_backoff: [min: 100, max: 10_000],
    reconnect_backoff: [min: 20, max: 1_000],
    hello_timeout: 2_000,
    health_interval: 2_000,
    max_in_flight: 256,
    max_frame_bytes: 16 * @mebibyte,
    max_reply_bytes: 8 * @mebibyte,
    relay_limit: 1_000,
    announce_interval: 10_000,
    outbox_dir: nil,
    outbox_limit: 10_000,
    outbox_bytes: 64 * @mebibyte,
    nodes: [],
    topologies: [],
    discovery_backoff: [min: 500, max: 5_000],
    dependents: []
  ]

  @call [instance: SoulMem, node: nil, timeout: 5_000, retries: 3, idempotency_key: nil]

  # A week. A timer of this VM takes up to 49 days, and the connection must not fall over one that does not fit.
  @longest_timeout 604_800_000

  # The wire's bound on an idempotency key.
  @longest_key 64

  @doc "The options of a tree, complete, or `ArgumentError`."
  @spec start!(keyword()) :: keyword()
  def start!(options) do
    options = options |> Keyword.validate!(@start) |> fill_in(System.get_env())
    Enum.each(options, &check_start!/1)
    if options[:role] == :daemon, do: executable!(options[:daemon_path])
    options
  end

  @doc "The longest `:timeout` of a call, in milliseconds."
  @spec longest_timeout() :: pos_integer()
  def longest_timeout, do: @longest_timeout

  @doc "The options of a call split off from those of its operation: `{call_options, the_rest}`."
  @spec split_call(keyword()) :: {keyword(), keyword()}
  def split_call(options), do: options |> keyword!() |> Keyword.split(Keyword.keys(@call))

  @doc "One option taken out, from options that must be a keyword list."
  @spec pop(keyword(), atom(), term()) :: {term(), keyword()}
  def pop(options, key, default), do: options |> keyword!() |> Keyword.pop(key, default)

  @doc "The options of a call, complete, or `ArgumentError`."
  @spec call!(keyword()) :: keyword()
  def call!(options) do
    options = options |> keyword!() |> Keyword.validate!(@call)
    Enum.each(options, &check_call!/1)
    options
  end

  defp keyword!(options) do
    if Keyword.keyword?(options),
      do: options,
      else: raise(ArgumentError, "options must be a keyword list, such as [timeout: 1_000], not #{inspect(options)}")
  end

  defp fill_in(options, env) do
    options
    |> Keyword.update!(:daemon_path, &(&1 || env["SOULMEM_DAEMON"] || default_daemon()))
    |> Keyword.update!(:data_dir, &(&1 || env["SOULMEM_DATA_DIR"]))
  end

  # In a release the daemon lies beside the application; in the source tree cargo puts it into target/.
  defp default_daemon do
    bundled = Application.app_dir(:soulmem, "priv/bin/soulmem")
    if File.regular?(bundled), do: bundled, else: Path.expand("../target/release/soulmem")
  end

  defp executable!(path) do
    case File.stat(path) do
      {:ok, %File.Stat{type: :regular}} ->
        :ok

      _missing ->
        raise ArgumentError,
              "there is no soulmem daemon at #{path}: build it (cargo build --release), or name it with " <>
                "`config :soulmem, daemon_path: …` or SOULMEM_DAEMON; a node without one has `role: :relay`"
    end
  end

  defp check_start!({:role, role}) when role in [:daemon, :relay], do: :ok
  defp check_start!({:name, name}) when is_atom(name) and name not in [nil, true, false], do: :ok
  defp check_start!({:daemon_path, path}) when is_binary(path), do: :ok
  defp check_start!({key, dir}) when key in [:data_dir, :outbox_dir] and (is_nil(dir) or is_binary(dir)), do: :ok
  defp check_start!({:daemon_args, args}), do: strings!(:daemon_args, args)
  defp check_start!({:daemon_env, env}), do: pairs!(:daemon_env, env)

  defp check_start!({key, backoff}) when key in [:restart_backoff, :reconnect_backoff, :discovery_backoff],
    do: backoff!(key, backoff)

  defp check_start!({:dependents, specs}) when is_list(specs), do: :ok

  defp check_start!({:topologies, topologies}) do
    if Keyword.keyword?(topologies) and Enum.all?(topologies, fn {_name, topology} -> is_atom(topology[:strategy]) end),
      do: :ok,
      else: refuse!(:topologies, topologies)
  end

  defp check_start!({:nodes, nodes}) do
    if is_list(nodes) and Enum.all?(nodes, &node?/1), do: :ok, else: refuse!(:nodes, nodes)
  end

  defp check_start!({key, number})
       when key not in [:role, :name, :daemon_path, :data_dir, :outbox_dir, :dependents, :nodes, :topologies] and
              is_integer(number) and
              number > 0,
       do: :ok

  defp check_start!({key, value}), do: refuse!(key, value)

  defp check_call!({:instance, name}) when is_atom(name) and not is_nil(name), do: :ok
  defp check_call!({:node, node}) when is_atom(node), do: :ok
  defp check_call!({:timeout, ms}) when is_integer(ms) and ms > 0 and ms <= @longest_timeout, do: :ok
  defp check_call!({:retries, count}) when is_integer(count) and count >= 0, do: :ok
  defp check_call!({:idempotency_key, nil}), do: :ok

  defp check_call!({:idempotency_key, key}) when is_binary(key) do
    if String.length(key) in 1..@longest_key,
      do: :ok,
      else: raise(ArgumentError, "option :idempotency_key must have 1 to #{@longest_key} characters")
  end

  defp check_call!({key, value}), do: refuse!(key, value)

  # Both sides of the name, or connecting would fail for ever with nothing but "false".
  defp node?(node), do: is_atom(node) and node |> Atom.to_string() |> String.match?(~r/\A[^@]+@[^@]+\z/)

  defp strings!(key, list) do
    if is_list(list) and Enum.all?(list, &is_binary/1), do: :ok, else: refuse!(key, list)
  end

  defp pairs!(key, list) do
    pair? = &match?({name, value} when is_binary(name) and is_binary(value), &1)
    if is_list(list) and Enum.all?(list, pair?), do: :ok, else: refuse!(key, list)
  end

  defp backoff!(key, backoff) do
    [max: max, min: min] = backoff |> Keyword.validate!([:min, :max]) |> Enum.sort()

    if is_integer(min) and is_integer(max) and 0 < min and min <= max,
      do: :ok,
      else: refuse!(key, backoff)
  end

  @spec refuse!(atom(), term()) :: no_return()
  defp refuse!(key, value) do
    raise ArgumentError, "option #{inspect(key)} cannot be #{inspect(value)}"
  end
end
