defmodule SoulMem.Payload do
  @moduledoc false
  # What an Elixir caller likes to write, made into what crosses the wire: atoms for keys and enum names become
  # text, times become RFC 3339 in UTC, and `nil` in a map means that the key is left out.

  @spec wire(term()) :: term()
  def wire(%DateTime{} = time) do
    time |> DateTime.shift_zone!("Etc/UTC") |> DateTime.to_iso8601()
  end

  def wire(map) when is_map(map) and not is_struct(map) do
    for {key, value} <- map, not is_nil(value), into: %{}, do: {key(key), wire(value)}
  end

  def wire([{key, _} | _] = pairs) when is_atom(key) and key != :bin, do: pairs |> Map.new() |> wire()

  def wire(list) when is_list(list), do: Enum.map(list, &wire/1)
  def wire(atom) when is_atom(atom) and atom not in [nil, true, false], do: Atom.to_string(atom)
  def wire(value), do: value

  defp key(key) when is_atom(key), do: Atom.to_string(key)
  defp key(key), do: key
end
