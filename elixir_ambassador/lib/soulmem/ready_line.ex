defmodule SoulMem.ReadyLine do
  @moduledoc false
  # The one line that a hosted daemon writes to its standard output, once it really answers.
  #
  # A daemon of a newer protocol may speak this node's too: `hello` decides that, not this line. An older one cannot know
  # what this node speaks.

  alias SoulMem.{JSON, Protocol}

  @enforce_keys [:port, :token, :pid, :version]
  defstruct [:port, :token, :pid, :version]

  # The token opens the daemon and must not end up in a log by way of a crash report, in whatever form that is
  # written: a function shows nothing.
  @type t() :: %__MODULE__{
          port: :inet.port_number(),
          token: (() -> String.t()),
          pid: pos_integer(),
          version: String.t()
        }

  @doc """
  Where the daemon listens, or why the line is not a ready line. The reason never contains the line itself:
  it may hold the token.
  """
  @spec parse(binary()) :: {:ok, t()} | {:error, String.t()}
  def parse(line) do
    case JSON.decode(line) do
      {:ok, %{"event" => "ready", "protocol" => protocol} = ready} ->
        ready(ready, is_integer(protocol) and protocol >= Protocol.version())

      {:ok, _other} ->
        {:error, "its first line of output is JSON, but not the ready line"}

      {:error, _reason} ->
        {:error, "its first line of output is not JSON"}
    end
  end

  defp ready(%{"protocol" => protocol}, false) do
    {:error, "it speaks protocol #{inspect(protocol)}, this node speaks #{Protocol.version()}"}
  end

  defp ready(%{"port" => port, "token" => token, "pid" => pid, "version" => version}, true)
       when port in 1..65_535 and is_binary(token) and is_integer(pid) and is_binary(version) do
    {:ok, %__MODULE__{port: port, token: fn -> token end, pid: pid, version: version}}
  end

  defp ready(_other, true), do: {:error, "its ready line lacks a port, token, pid or version"}
end
