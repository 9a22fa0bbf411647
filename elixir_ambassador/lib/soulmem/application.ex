defmodule SoulMem.Application do
  @moduledoc false

  use Application

  @impl true
  def start(_type, _arguments) do
    :soulmem
    |> Application.get_all_env()
    # Mix and OTP keep keys of their own beside ours.
    |> Keyword.delete(:included_applications)
    |> SoulMem.Supervisor.start_link()
  end
end
