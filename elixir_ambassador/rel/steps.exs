defmodule SoulMem.ReleaseSteps do
  @moduledoc false
  # What is done to a release after it is assembled, here and in lan_node/.

  @doc "The release brings its own daemon, so that a machine needs neither Rust nor this source tree."
  def bundle_daemon(release) do
    source = System.get_env("SOULMEM_DAEMON") || Path.expand("../../target/release/soulmem", __DIR__)

    unless File.regular?(source) do
      Mix.raise("no daemon at #{source}: build it (cargo build --release) or set SOULMEM_DAEMON")
    end

    version = release.applications.soulmem[:vsn]
    target = Path.join([release.path, "lib", "soulmem-#{version}", "priv", "bin", "soulmem"])
    File.mkdir_p!(Path.dirname(target))
    File.cp!(source, target)
    release
  end

  @doc "Everybody can read that file. The true cookie is in one of its own: see env.sh.eex."
  def forget_cookie(release) do
    File.rm!(Path.join([release.path, "releases", "COOKIE"]))
    release
  end
end
