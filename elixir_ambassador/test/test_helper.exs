# Tests tagged `:daemon` run the real one: SOULMEM_DAEMON, else what cargo built. Where there is none they are
# left out, and that is said.
daemon =
  System.get_env("SOULMEM_DAEMON") ||
    Enum.find(
      ["../target/debug/soulmem", "../target/release/soulmem"],
      "../target/debug/soulmem",
      &File.regular?/1
    )

if File.regular?(daemon) do
  Application.put_env(:soulmem_test, :daemon_path, Path.expand(daemon))
  ExUnit.start()
else
  IO.puts("no daemon at #{daemon}: tests of the real one are left out")
  ExUnit.start(exclude: [:daemon])
end
