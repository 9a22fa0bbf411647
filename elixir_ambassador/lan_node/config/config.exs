import Config

config :logger, :console, device: :standard_error
