Code.require_file("rel/steps.exs", __DIR__)

defmodule SoulMem.MixProject do
  use Mix.Project

  @version "0.1.0"

  def project do
    [
      app: :soulmem,
      version: @version,
      elixir: "~> 1.14",
      start_permanent: Mix.env() == :prod,
      elixirc_paths: elixirc_paths(Mix.env()),
      # No dependencies, not even optional ones: with any, no mix task runs where Hex is not installed.
      deps: [],
      releases: releases()
    ]
  end

  def application do
    [extra_applications: [:logger, :crypto], mod: {SoulMem.Application, []}]
  end

  defp elixirc_paths(:test), do: ["lib", "test/support"]
  defp elixirc_paths(_env), do: ["lib"]

  defp releases do
    [
      soulmem_node: [
        include_executables_for: [:unix],
        # For encrypted links; it is started only for those (systemd/tls.sh).
        applications: [ssl: :load],
        steps: [:assemble, &SoulMem.ReleaseSteps.bundle_daemon/1, &SoulMem.ReleaseSteps.forget_cookie/1]
      ]
    ]
  end
end
