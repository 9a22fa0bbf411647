defmodule SoulMem.Doctor.Peers do
  @moduledoc false
  # What the running node says of itself and of the others, for the doctor.

  alias SoulMem.Doctor

  @timeout 5_000
  @widest_clock_difference_ms 2_000
  @least_free_bytes 1_073_741_824

  @doc "Asks the node, which asks the others."
  @spec findings(node()) :: [Doctor.finding()]
  def findings(node) do
    case ask(node, __MODULE__, :about_all) do
      {:ok, %{self: self, peers: peers}} -> [daemon(self) | data(self)] ++ Enum.map(peers, &peer(&1, self))
      {:error, reason} -> [{:bad, "node", "#{node} does not say how it is: #{reason}"}]
    end
  end

  @doc "On the node: itself, and every other with the difference of its clock."
  @spec about_all() :: map()
  def about_all do
    peers = Task.async_stream(Node.list(), &{&1, about_peer(&1)}, timeout: :infinity)
    %{self: about(), peers: for({:ok, peer} <- peers, do: peer)}
  end

  @doc "On every node: what it is."
  @spec about() :: map()
  def about do
    %{
      version: to_string(Application.spec(:soulmem, :vsn)),
      otp: System.otp_release(),
      time_ms: System.os_time(:millisecond),
      health: health()
    }
  end

  defp health do
    case SoulMem.health(timeout: @timeout, retries: 0) do
      {:ok, health} -> health
      {:error, error} -> %{"error" => Exception.message(error)}
    end
  end

  # The clock of the other is what it said, compared with the middle of the time that asking took.
  defp about_peer(node) do
    before = System.os_time(:millisecond)

    with {:ok, about} <- ask(node, __MODULE__, :about) do
      {:ok, Map.put(about, :ahead_ms, about.time_ms - div(before + System.os_time(:millisecond), 2))}
    end
  end

  defp ask(node, module, function) do
    {:ok, :erpc.call(node, module, function, [], @timeout * 2)}
  catch
    _kind, reason -> {:error, inspect(reason)}
  end

  defp daemon(%{health: %{"error" => error}}), do: {:bad, "daemon", error}
  defp daemon(%{health: %{"souls" => souls}}), do: {:ok, "daemon", "answers; it has #{length(souls)} characters"}
  defp daemon(_relay), do: {:note, "daemon", "none: this node is a relay"}

  defp data(%{health: %{"data_dir" => dir, "free_bytes" => free}}) do
    how = if free < @least_free_bytes, do: :bad, else: :ok
    [{how, "data", "#{dir}: #{div(free, 1_048_576)} MiB are free on its disk"}]
  end

  defp data(_relay), do: []

  defp peer({node, {:error, reason}}, _self),
    do: {:note, "peer", "#{node} has no SoulMem, or cannot be asked: #{reason}"}

  defp peer({node, {:ok, about}}, self) do
    cond do
      about.version != self.version ->
        {:note, "peer", "#{node} has SoulMem #{about.version}, this node #{self.version}: one version apart works"}

      about.otp != self.otp ->
        {:note, "peer", "#{node} has OTP #{about.otp}, this node #{self.otp}: up to two apart work"}

      abs(about.ahead_ms) > @widest_clock_difference_ms ->
        {:bad, "peer",
         "the clock of #{node} is #{about.ahead_ms} ms ahead of this one's: have both set theirs (timedatectl)"}

      true ->
        {:ok, "peer", "#{node}: SoulMem #{about.version}, its clock is #{about.ahead_ms} ms ahead"}
    end
  end
end
