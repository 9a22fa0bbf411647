defmodule SoulMem.Instance do
  @moduledoc false
  # A running tree is named by an atom; its processes by that atom and their part. The default instance is
  # `SoulMem`, so its processes carry the names of their modules, and `{SoulMem.Ambassador, node}` is the one
  # name that the cluster knows.

  @type t() :: atom()
  @type role() :: :daemon | :relay

  @doc """
  The registered name of a part.

      iex> SoulMem.Instance.process(SoulMem, SoulMem.Connection)
      SoulMem.Connection

      iex> SoulMem.Instance.process(MyApp.Memory, SoulMem.Connection)
      MyApp.Memory.Connection

  """
  @spec process(t(), module()) :: atom()
  def process(instance, part) do
    ["SoulMem" | within] = Module.split(part)
    Module.concat([instance | within])
  end

  @doc "Remembers what the tree under that name is; read at every call, so kept where reading costs nothing."
  @spec remember(t(), role()) :: :ok
  def remember(instance, role), do: :persistent_term.put({__MODULE__, instance}, role)

  @spec role(t()) :: {:ok, role()} | :error
  def role(instance) do
    with pid when is_pid(pid) <- Process.whereis(process(instance, SoulMem.Supervisor)),
         role when not is_nil(role) <- :persistent_term.get({__MODULE__, instance}, nil) do
      {:ok, role}
    else
      nil -> :error
    end
  end
end
