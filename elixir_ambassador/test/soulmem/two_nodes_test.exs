defmodule SoulMem.TwoNodesTest do
  use ExUnit.Case, async: true

  alias SoulMem.Error

  @moduletag :daemon
  @moduletag :tmp_dir
  @moduletag :capture_log

  # Two BEAM nodes of their own; what they do is asked over their standard input and output, so that the test's own
  # VM need not be distributed.
  test "a node without a daemon asks the one that has it, by way of its ambassador", %{tmp_dir: dir} do
    cookie = Base.encode16(:crypto.strong_rand_bytes(16))
    daemon_path = Application.fetch_env!(:soulmem_test, :daemon_path)

    {owner_peer, owner} =
      node_with(
        [
          role: :daemon,
          daemon_path: daemon_path,
          data_dir: Path.join(dir, "data"),
          daemon_args: ["--log-level", "error"]
        ],
        cookie
      )

    {relay_peer, _relay} = node_with([role: :relay], cookie)
    :ok = call(owner_peer, SoulMem, :await_ready, [])

    assert {:error, %Error{reason: :no_owner}} = call(relay_peer, SoulMem, :call, ["ping", nil, %{}])
    assert {:ok, %{"uptime_ms" => _}} = call(relay_peer, SoulMem, :call, ["ping", nil, %{}, [node: owner]])

    assert {:error, %Error{reason: :unknown_op, op: "consolidate", soul: "mei"}} =
             call(relay_peer, SoulMem, :consolidate, ["mei", [node: owner]])

    :ok = :peer.stop(owner_peer)
    assert {:error, %Error{reason: :unreachable}} = call(relay_peer, SoulMem, :health, [[node: owner]])
  end

  defp node_with(config, cookie) do
    code_paths = for path <- :code.get_path(), do: ['-pa', path]

    {:ok, peer, node} =
      :peer.start_link(%{
        name: :peer.random_name('soulmem'),
        host: '127.0.0.1',
        longnames: true,
        connection: :standard_io,
        args: Enum.concat(code_paths) ++ ['-setcookie', to_charlist(cookie)]
      })

    :ok = call(peer, Application, :put_all_env, [[soulmem: config, logger: [level: :error]]])
    {:ok, _started} = call(peer, Application, :ensure_all_started, [:soulmem])
    {peer, node}
  end

  defp call(peer, module, function, arguments), do: :peer.call(peer, module, function, arguments, 30_000)
end
