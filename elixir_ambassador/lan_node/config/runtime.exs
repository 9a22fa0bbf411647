import Config

if config_env() == :prod and System.get_env("RELEASE_NAME") do
  config :soulmem, SoulMem.Environment.options(System.get_env())
end
