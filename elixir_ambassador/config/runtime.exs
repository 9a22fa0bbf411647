import Config

# A release is configured by the environment of its service. In the tests and in `./dev run` nothing of this is set.
if config_env() == :prod and System.get_env("RELEASE_NAME") do
  config :soulmem, SoulMem.Environment.options(System.get_env())
end
