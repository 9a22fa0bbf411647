Code.require_file("../rel/steps.exs", __DIR__)

defmodule LanNode.MixProject do
  use Mix.Project

  # The node with libcluster, which finds the other machines of a home by itself. A project of its own, because with a
  # dependency from Hex no mix task of the ambassador would run where Hex is not installed.
  #
  # `SOULMEM_LIBCLUSTER=/path` is for a machine without Hex: a folder with the sources of libcluster, and beside it those
  # of what it needs, jason and telemetry.

  def project do
    [
      app: :lan_node,
      version: "0.1.0",
      elixir: "~> 1.14",
      start_permanent: Mix.env() == :prod,
      deps: [{:soulmem, path: ".."}] ++ libcluster(System.get_env("SOULMEM_LIBCLUSTER")),
      releases: [
        soulmem_node: [
          include_executables_for: [:unix],
          applications: [soulmem: :permanent, libcluster: :permanent, ssl: :permanent],
          rel_templates_path: "../rel",
          steps: [:assemble, &SoulMem.ReleaseSteps.bundle_daemon/1, &SoulMem.ReleaseSteps.forget_cookie/1]
        ]
      ]
    ]
  end

  def application, do: [extra_applications: [:logger]]

  defp libcluster(nil), do: [{:libcluster, "~> 3.5"}]

  defp libcluster(path) do
    [
      {:libcluster, [path: path] ++ compiled("libcluster 3.5.0 jason telemetry")},
      {:jason, [path: Path.expand("../jason", path), override: true] ++ compiled("jason 1.4.0")},
      {:telemetry, [path: Path.expand("../telemetry", path), override: true] ++ compiled("telemetry 1.3.0")}
    ]
  end

  # Not by their own mix projects: to read those needs Hex.
  defp compiled(arguments) do
    [manager: :make, compile: "elixir #{Path.expand("compile_source.exs", __DIR__)} #{arguments}"]
  end
end
