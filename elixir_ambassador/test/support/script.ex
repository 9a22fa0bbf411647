defmodule SoulMem.Script do
  @moduledoc false
  # A real executable in the test's own folder that stands where the daemon stands.

  alias SoulMem.ReadyLine

  def write(dir, body) do
    path = Path.join(dir, "soulmem")
    File.write!(path, "#!/bin/sh\n" <> body)
    File.chmod!(path, 0o700)
    path
  end

  @doc "Says that it is ready and leaves at end of input, like a daemon."
  def good(ready \\ nowhere()), do: ready_line(ready) <> "cat >/dev/null\n"

  @doc "Says that it is ready."
  def ready_line(ready \\ nowhere()) do
    ~s(echo '{"event":"ready","port":#{ready.port},"token":"#{ready.token.()}","pid":#{ready.pid},) <>
      ~s("protocol":1,"version":"#{ready.version}"}'\n)
  end

  defp nowhere, do: %ReadyLine{port: 9, token: fn -> "5ec2e7" end, pid: 1, version: "0.1.0"}

  def alive?(os_pid) do
    {_output, status} = System.cmd("/bin/sh", ["-c", "kill -0 #{os_pid}"], stderr_to_stdout: true)
    status == 0
  end
end
