defmodule SoulMem.Twin do
  @moduledoc false
  # Reads the JSON twins of the golden vectors: what JSON cannot say is an object with one key that begins with `$`.

  alias SoulMem.JSON

  def read!(path) do
    {:ok, twin} = path |> File.read!() |> JSON.decode()
    twin
  end

  def value(%{"$int" => digits}), do: String.to_integer(digits)
  def value(%{"$f64" => hex}), do: float(Base.decode16!(hex, case: :lower))
  def value(%{"$bin" => hex}), do: {:bin, Base.decode16!(hex, case: :lower)}
  def value(%{"$repeat" => [[item], count]}), do: List.duplicate(value(item), count)
  def value(%{"$repeat" => [text, count]}) when is_binary(text), do: String.duplicate(text, count)

  def value(%{"$repeat" => [%{"$bin" => _} = byte, count]}) do
    {:bin, bytes} = value(byte)
    {:bin, String.duplicate(bytes, count)}
  end

  def value(map) when is_map(map), do: Map.new(map, fn {key, value} -> {key, value(value)} end)
  def value(list) when is_list(list), do: Enum.map(list, &value/1)
  def value(scalar), do: scalar

  defp float(<<number::float-64>>), do: number
end
