import Config

# A release is configured by the environment of its service (systemd/node.env). In the tests and in `./dev run` nothing
# of this is set.
env = &System.get_env/1
put = fn key, value -> if value, do: config(:soulmem, [{key, value}]) end

if config_env() == :prod and env.("RELEASE_NAME") do
  put.(:cookie_file, env.("SOULMEM_COOKIE_FILE"))

  case env.("SOULMEM_ROLE") do
    nil -> :ok
    "daemon" -> config :soulmem, role: :daemon
    "relay" -> config :soulmem, role: :relay
    other -> raise "SOULMEM_ROLE=#{other}: it is daemon or relay"
  end

  nodes = (env.("SOULMEM_NODES") || "") |> String.split([" ", ","], trim: true) |> Enum.map(&String.to_atom/1)
  config :soulmem, nodes: nodes

  put.(:data_dir, env.("SOULMEM_DATA_DIR"))
  if level = env.("SOULMEM_LOG_LEVEL"), do: config(:soulmem, daemon_args: ["--log-level", level])
end
