defmodule SoulMem.Application do
  @moduledoc false

  use Application

  alias SoulMem.{Cookie, Known, Notify}

  @impl true
  def start(_type, _arguments) do
    options = Application.get_all_env(:soulmem)

    if options[:known_only], do: :ok = Known.begin(options[:nodes] || [])

    with :ok <- cookie(options[:cookie_file]) do
      options
      # Mix and OTP keep keys of their own beside ours.
      |> Keyword.drop([:included_applications, :cookie_file, :known_only])
      |> SoulMem.Supervisor.start_link()
    end
  end

  @impl true
  def prep_stop(state) do
    Notify.stopping()
    state
  end

  defp cookie(nil), do: :ok

  # What the console shows of an application that does not start is hard to read: this is said in plain words before.
  defp cookie(path) do
    with {:error, reason} <- Cookie.install(path) do
      IO.puts(:stderr, "soulmem: " <> reason)
      {:error, reason}
    end
  end
end
