import Config

# The tests start their own trees; the application's own must not need a daemon.
if config_env() == :test do
  config :soulmem, role: :relay
  config :logger, level: :warning
end
