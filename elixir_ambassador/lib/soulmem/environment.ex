defmodule SoulMem.Environment do
  @moduledoc false
  # The configuration of a release, from the environment of its service: systemd/node.env has all of it.

  @doc """
  Options of the application; `ArgumentError` names a variable that is not right.

      iex> SoulMem.Environment.options(%{"SOULMEM_NODES" => "soulmem@10.0.0.2, soulmem@10.0.0.3"})
      [nodes: [:"soulmem@10.0.0.2", :"soulmem@10.0.0.3"]]

  """
  @spec options(%{optional(String.t()) => String.t()}) :: keyword()
  def options(env) do
    Enum.flat_map(
      [
        cookie_file: env["SOULMEM_COOKIE_FILE"],
        role: role(env["SOULMEM_ROLE"]),
        data_dir: env["SOULMEM_DATA_DIR"],
        daemon_args: daemon_args(env["SOULMEM_LOG_LEVEL"]),
        nodes: nodes(env["SOULMEM_NODES"]),
        known_only: known_only(env["SOULMEM_TLS_DIR"]),
        topologies: gossip(env["SOULMEM_GOSSIP_SECRET_FILE"], env["SOULMEM_INTERFACE"])
      ],
      fn {key, value} -> if is_nil(value), do: [], else: [{key, value}] end
    )
  end

  defp role(nil), do: nil
  defp role("daemon"), do: :daemon
  defp role("relay"), do: :relay
  defp role(other), do: raise(ArgumentError, "SOULMEM_ROLE=#{other}: it is daemon or relay")

  defp daemon_args(nil), do: nil
  defp daemon_args(level), do: ["--log-level", level]

  defp nodes(nil), do: nil
  defp nodes(names), do: names |> String.split([" ", ","], trim: true) |> Enum.map(&String.to_atom/1)

  defp known_only(nil), do: nil
  defp known_only(_tls_dir), do: true

  # For the release with libcluster. The secret is in a file like the cookie, and as private.
  defp gossip(nil, _interface), do: nil

  defp gossip(path, interface) do
    case SoulMem.Cookie.read(path) do
      {:ok, secret} ->
        [
          home: [
            strategy: Cluster.Strategy.Gossip,
            connect: {SoulMem.Known, :connect, []},
            config: [secret: secret] ++ multicast(interface)
          ]
        ]

      {:error, reason} ->
        raise ArgumentError, "SOULMEM_GOSSIP_SECRET_FILE: #{reason}"
    end
  end

  defp multicast(nil), do: []
  defp multicast(address), do: [multicast_if: address]
end
