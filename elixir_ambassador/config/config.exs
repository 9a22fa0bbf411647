import Config

# Standard output belongs to what a program prints.
config :logger, :console, device: :standard_error

# The tests start their own trees; the application's own must not need a daemon.
if config_env() == :test do
  config :soulmem, role: :relay
  config :logger, level: :warning
end
