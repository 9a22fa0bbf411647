defmodule SoulMem.Telemetry do
  @moduledoc """
  The events that SoulMem emits where the `:telemetry` library is loaded. It is never required.

  | event | measurements | metadata |
  |---|---|---|
  | `[:soulmem, :daemon, :up]` | | `:pid` (of the operating system), `:version` |
  | `[:soulmem, :daemon, :down]` | | `:reason`, a sentence |
  | `[:soulmem, :connection, :up]` | | `:souls`, the names that live here |
  | `[:soulmem, :connection, :down]` | `:in_flight`, the requests that failed with it | `:reason` |
  | `[:soulmem, :call, :stop]` | `:duration` (native units), `:attempts` | `:op`, `:soul`, `:result` (`:ok` or the error's reason) |

  """

  @doc false
  @spec execute([atom()], map(), map()) :: :ok
  def execute(event, measurements, metadata) do
    if function_exported?(:telemetry, :execute, 3) do
      # Not a plain call: there may be no such module when this is compiled.
      apply(:telemetry, :execute, [[:soulmem | event], measurements, metadata])
    end

    :ok
  end
end
