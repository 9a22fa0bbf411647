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
        steps: [:assemble, &bundle_daemon/1, &forget_cookie/1]
      ]
    ]
  end

  # The release brings its own daemon, so that a machine needs neither Rust nor this source tree.
  defp bundle_daemon(release) do
    source = System.get_env("SOULMEM_DAEMON") || Path.expand("../target/release/soulmem", __DIR__)

    unless File.regular?(source) do
      Mix.raise("no daemon at #{source}: build it (cargo build --release) or set SOULMEM_DAEMON")
    end

    target = Path.join([release.path, "lib", "soulmem-#{@version}", "priv", "bin", "soulmem"])
    File.mkdir_p!(Path.dirname(target))
    File.cp!(source, target)
    release
  end

  # Everybody can read that file. The true cookie is in one of its own: see rel/env.sh.eex.
  defp forget_cookie(release) do
    File.rm!(Path.join([release.path, "releases", "COOKIE"]))
    release
  end
end
