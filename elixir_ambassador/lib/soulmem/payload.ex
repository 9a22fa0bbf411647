defmodule SoulMem.Payload do
  @moduledoc false
  # What an Elixir caller likes to write, made into what crosses the wire: atoms for keys and enum names become
  # text, times become RFC 3339 in UTC, and `nil` in a map means that the key is left out.

  @doc """
  The term as it crosses. A key that is there both as an atom and as text is refused: one of the two would be lost.

      iex> SoulMem.Payload.wire(%{role: :user, name: nil})
      {:ok, %{"role" => "user"}}

      iex> SoulMem.Payload.wire(%{:text => "a", "text" => "b"})
      {:error, {:twice, "text"}}

  """
  @spec wire(term()) :: {:ok, term()} | {:error, {:twice, String.t()}}
  def wire(term) do
    {:ok, convert(term)}
  catch
    {:twice, key} -> {:error, {:twice, key}}
  end

  defp convert(%DateTime{} = time), do: time |> DateTime.shift_zone!("Etc/UTC") |> DateTime.to_iso8601()

  defp convert(map) when is_map(map) and not is_struct(map), do: map |> Map.to_list() |> pairs()

  defp convert([{key, _} | _] = pairs) when is_atom(key) and key != :bin do
    if Keyword.keyword?(pairs), do: pairs |> Map.new() |> convert(), else: Enum.map(pairs, &convert/1)
  end

  defp convert([_ | _] = list), do: elements(list)
  defp convert(atom) when is_atom(atom) and atom not in [nil, true, false], do: Atom.to_string(atom)
  defp convert(value), do: value

  # An improper list is left as it is, for the codec to refuse.
  defp elements(list) do
    if List.improper?(list), do: list, else: Enum.map(list, &convert/1)
  end

  defp pairs(pairs) do
    for {key, value} <- pairs, not is_nil(value), reduce: %{} do
      wire -> put_once(wire, key(key), convert(value))
    end
  end

  defp put_once(wire, key, _value) when is_map_key(wire, key), do: throw({:twice, key})
  defp put_once(wire, key, value), do: Map.put(wire, key, value)

  defp key(key) when is_atom(key), do: Atom.to_string(key)
  defp key(key), do: key
end
