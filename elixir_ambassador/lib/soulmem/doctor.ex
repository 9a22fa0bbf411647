defmodule SoulMem.Doctor do
  @moduledoc false
  # `bin/soulmem_node doctor`: looks at what makes a cluster of home machines fail, and says what to do. It runs in a
  # short-lived node beside the one that it asks.

  alias SoulMem.{Cookie, Doctor.Peers}

  @type finding() :: {:ok | :note | :bad, what :: String.t(), text :: String.t()}

  @doc "Prints what is found; ends with status 1 where something is bad."
  @spec main() :: no_return()
  def main do
    findings = findings(System.get_env())
    Enum.each(findings, &IO.puts(line(&1)))
    System.halt(if(Enum.any?(findings, &match?({:bad, _what, _text}, &1)), do: 1, else: 0))
  end

  @doc "Everything there is to say, with that environment."
  @spec findings(%{optional(String.t()) => String.t()}) :: [finding()]
  def findings(env) do
    node = String.to_atom(env["RELEASE_NODE"] || "soulmem@127.0.0.1")
    running? = Node.connect(node) == true

    [cookie(env["SOULMEM_COOKIE_FILE"]), running(node, running?), interface(env["SOULMEM_INTERFACE"])] ++
      port(env, running?) ++ lingering(env) ++ if(running?, do: Peers.findings(node), else: [])
  end

  defp line({how, what, text}), do: String.pad_trailing(mark(how), 5) <> String.pad_trailing(what, 12) <> text

  defp mark(:ok), do: "ok"
  defp mark(:note), do: "note"
  defp mark(:bad), do: "BAD"

  defp cookie(nil), do: {:note, "cookie", "no file is configured: the node has the cookie that it was started with"}

  defp cookie(path) do
    case Cookie.read(path) do
      {:ok, cookie} -> {:ok, "cookie", "#{path}: for you alone, #{String.length(cookie)} characters"}
      {:error, reason} -> {:bad, "cookie", reason}
    end
  end

  defp running(node, true), do: {:ok, "node", "#{node} is running"}

  defp running(node, false),
    do: {:bad, "node", "#{node} does not answer: start it, or see why it ended (journalctl --user -u soulmem-node)"}

  defp interface(nil), do: {:note, "interface", "none is configured: the node listens on all of them"}

  defp interface(address) do
    {:ok, interfaces} = :inet.getifaddrs()
    mine = for {_name, about} <- interfaces, {:addr, address} <- about, do: address |> :inet.ntoa() |> List.to_string()

    cond do
      address not in mine ->
        {:bad, "interface", "this machine has no address #{address} at the moment: it has #{Enum.join(mine, ", ")}"}

      String.starts_with?(address, "127.") ->
        {:note, "interface", "#{address}: other machines cannot reach this node (SOULMEM_NODE)"}

      true ->
        {:ok, "interface", address}
    end
  end

  # Where the node runs, the port is its own.
  defp port(_env, true), do: []

  defp port(env, false) do
    port = String.to_integer(env["SOULMEM_DIST_PORT"] || "9137")

    with {:ok, address} <- :inet.parse_address(to_charlist(env["SOULMEM_INTERFACE"] || "127.0.0.1")),
         {:ok, socket} <- :gen_tcp.listen(port, ip: address, reuseaddr: true) do
      :gen_tcp.close(socket)
      [{:ok, "port", "#{port} is free"}]
    else
      {:error, reason} -> [{:bad, "port", "#{port} cannot be listened on: #{:inet.format_error(reason)}"}]
    end
  end

  defp lingering(%{"USER" => user}) do
    if File.exists?("/var/lib/systemd/linger/#{user}"),
      do: [{:ok, "lingering", "the node runs while you are not logged in"}],
      else: [{:note, "lingering", "the node ends when you log out: loginctl enable-linger keeps it"}]
  end

  defp lingering(_no_user), do: []
end
