defmodule SoulMem.Known do
  @moduledoc false
  # The nodes that this one may connect to, where links are encrypted. Only with such a list does OTP check who calls: the
  # caller's certificate must be good for the address that the call comes from, and its node must be at that address.
  # A caller need not be in the list; whom this node calls must be, so a node that gossip finds is added first.

  @doc "Begins the list. To be called before this node has the cookie: until then nobody comes in."
  @spec begin([node()]) :: :ok
  def begin(nodes), do: allow([node() | nodes])

  @doc "How gossip connects to a node that it found."
  @spec connect(node()) :: boolean() | :ignored
  def connect(node) do
    if :net_kernel.allowed() != {:ok, []}, do: :ok = allow([node])
    Node.connect(node)
  end

  # OTP keeps every one that it is told, however often.
  defp allow(nodes) do
    {:ok, known} = :net_kernel.allowed()
    :net_kernel.allow(Enum.uniq(nodes) -- known)
  end
end
