defmodule SoulMem.BeamNode do
  @moduledoc false
  # BEAM nodes of their own; what they do is asked over their standard input and output, so that the test's own VM need
  # not be distributed.

  import ExUnit.Callbacks

  @patience 30_000

  # Nobody but the nodes of this run knows it.
  @cookie Base.encode16(:crypto.strong_rand_bytes(16))

  @doc "Starts a node, its application with that configuration; `{peer, node}`."
  def start(config, options \\ []) do
    code_paths = for path <- :code.get_path(), do: ['-pa', path]
    kernel = ['-kernel', 'prevent_overlapping_partitions', 'false']

    {:ok, peer, node} =
      :peer.start(%{
        name: options[:name] || :peer.random_name('soulmem'),
        host: '127.0.0.1',
        longnames: true,
        connection: :standard_io,
        args: Enum.concat(code_paths) ++ kernel ++ ['-setcookie', to_charlist(@cookie)]
      })

    on_exit(fn -> stop(peer) end)
    :ok = call(peer, Application, :put_all_env, [[soulmem: config, logger: [level: :error]]])
    {:ok, _started} = call(peer, Application, :ensure_all_started, [:soulmem])
    {peer, node}
  end

  @doc "With the real daemon on a data directory, once that answers."
  def owner(data_dir, options \\ []) do
    {peer, node} =
      start(
        [
          role: :daemon,
          daemon_path: Application.fetch_env!(:soulmem_test, :daemon_path),
          data_dir: data_dir,
          daemon_args: ["--log-level", "error"],
          nodes: options[:nodes] || [],
          announce_interval: options[:announce_interval] || 10_000
        ],
        options
      )

    :ok = call(peer, SoulMem, :await_ready, [])
    {peer, node}
  end

  def call(peer, module, function, arguments), do: :peer.call(peer, module, function, arguments, @patience)

  @doc "Returns once the node knows who owns the character: it hears that a moment after the owner said it."
  def await_owner(peer, soul, tries \\ 1_000) do
    case call(peer, SoulMem.Membership, :owners, [SoulMem, soul]) do
      [owner | _] ->
        owner

      [] when tries > 0 ->
        Process.sleep(20)
        await_owner(peer, soul, tries - 1)
    end
  end

  @doc "Returns once the node knows these, and no others, to own the character."
  def await_owners(peer, owners, soul \\ "mei", tries \\ 1_000) do
    unless call(peer, SoulMem.Membership, :owners, [SoulMem, soul]) == owners do
      if tries == 0, do: raise("in vain: #{inspect(owners)}")
      Process.sleep(20)
      await_owners(peer, owners, soul, tries - 1)
    end
  end

  def stop(peer) do
    :peer.stop(peer)
  catch
    :exit, _stopped_already -> :ok
  end
end
