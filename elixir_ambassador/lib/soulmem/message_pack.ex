defmodule SoulMem.MessagePack do
  @moduledoc false
  # MessagePack by the rules of the wire protocol, stricter than the format:
  #
  #   * text is `str` and valid UTF-8; an ordinary binary is text, bytes are `{:bin, bytes}`, so the two never mix
  #   * map keys are text, each once; maps are written sorted by key, so equal terms are equal bytes
  #   * integers from -2⁶³ to 2⁶⁴-1 in their shortest form, floats as 64 bits; NaN and infinities do not exist
  #   * `nil`, `true` and `false` are the only atoms; no extension types, nothing nested deeper than 64
  #   * a length that the remaining bytes cannot hold is refused before anything is built, bytes left over too
  #
  # `{:packed, bytes}` is a value that was packed before, put in as it is.

  import Bitwise, only: [<<<: 2]

  @deepest 64

  @typedoc "What crosses the wire."
  @type value() ::
          nil
          | boolean()
          | integer()
          | float()
          | String.t()
          | {:bin, binary()}
          | [value()]
          | %{optional(String.t()) => value()}

  @typedoc "Why something is not of the wire: the protocol's error code and a word that says which rule."
  @type error() :: {code :: :bad_envelope | :invalid_argument, detail :: atom()}

  @spec pack(value() | {:packed, binary()}) :: {:ok, binary()} | {:error, error()}
  def pack(value) do
    {:ok, value |> pack(0) |> IO.iodata_to_binary()}
  catch
    {__MODULE__, error} -> {:error, error}
  end

  # What is malformed anywhere outranks a number that is not finite, so that is looked for last.
  @spec unpack(binary()) :: {:ok, value()} | {:error, error()}
  def unpack(bytes) when is_binary(bytes) do
    {value, rest} = unpack(bytes, 0)

    cond do
      rest != "" -> {:error, {:bad_envelope, :trailing_bytes}}
      finite?(value) -> {:ok, value}
      true -> {:error, {:invalid_argument, :non_finite}}
    end
  catch
    {__MODULE__, error} -> {:error, error}
  end

  ## Packing

  defp pack(nil, _depth), do: <<0xC0>>
  defp pack(false, _depth), do: <<0xC2>>
  defp pack(true, _depth), do: <<0xC3>>
  defp pack(value, _depth) when is_integer(value), do: pack_integer(value)
  defp pack(value, _depth) when is_float(value), do: <<0xCB, value::float-64>>
  defp pack(value, _depth) when is_binary(value), do: pack_text(value)
  defp pack({:bin, bytes}, _depth) when is_binary(bytes), do: [bin_head(byte_size(bytes)), bytes]
  defp pack({:packed, bytes}, _depth) when is_binary(bytes), do: bytes
  defp pack(_value, @deepest), do: fail(:depth)

  defp pack(values, depth) when is_list(values) do
    [array_head(length(values)) | Enum.map(values, &pack(&1, depth + 1))]
  end

  defp pack(map, depth) when is_map(map) and not is_struct(map) do
    pairs = map |> Enum.sort_by(&elem(&1, 0)) |> Enum.map(&pack_pair(&1, depth + 1))
    [map_head(map_size(map)) | pairs]
  end

  defp pack(_value, _depth), do: fail(:invalid_argument, :unsupported_term)

  defp pack_pair({key, value}, depth) when is_binary(key), do: [pack_text(key) | pack(value, depth)]

  defp pack_pair(_pair, _depth), do: fail(:key_type)

  defp pack_integer(n) when n in 0..0x7F, do: <<n>>
  defp pack_integer(n) when n in -32..-1, do: <<n::signed-8>>
  defp pack_integer(n) when n in 0..0xFF, do: <<0xCC, n>>
  defp pack_integer(n) when n in 0..0xFFFF, do: <<0xCD, n::16>>
  defp pack_integer(n) when n in 0..0xFFFFFFFF, do: <<0xCE, n::32>>
  defp pack_integer(n) when n in 0..((1 <<< 64) - 1), do: <<0xCF, n::64>>
  defp pack_integer(n) when n in -0x80..-1, do: <<0xD0, n::signed-8>>
  defp pack_integer(n) when n in -0x8000..-1, do: <<0xD1, n::signed-16>>
  defp pack_integer(n) when n in -0x80000000..-1, do: <<0xD2, n::signed-32>>
  defp pack_integer(n) when n in -(1 <<< 63)..-1, do: <<0xD3, n::signed-64>>
  defp pack_integer(_n), do: fail(:invalid_argument, :integer_range)

  defp pack_text(text) do
    if String.valid?(text), do: [text_head(byte_size(text)), text], else: fail(:utf8)
  end

  defp text_head(size) when size < 32, do: <<0b101::3, size::5>>
  defp text_head(size) when size <= 0xFF, do: <<0xD9, size>>
  defp text_head(size) when size <= 0xFFFF, do: <<0xDA, size::16>>
  defp text_head(size) when size <= 0xFFFFFFFF, do: <<0xDB, size::32>>
  defp text_head(_size), do: fail(:invalid_argument, :length)

  defp bin_head(size) when size <= 0xFF, do: <<0xC4, size>>
  defp bin_head(size) when size <= 0xFFFF, do: <<0xC5, size::16>>
  defp bin_head(size) when size <= 0xFFFFFFFF, do: <<0xC6, size::32>>
  defp bin_head(_size), do: fail(:invalid_argument, :length)

  defp array_head(count) when count < 16, do: <<0b1001::4, count::4>>
  defp array_head(count) when count <= 0xFFFF, do: <<0xDC, count::16>>
  defp array_head(count) when count <= 0xFFFFFFFF, do: <<0xDD, count::32>>

  defp map_head(count) when count < 16, do: <<0b1000::4, count::4>>
  defp map_head(count) when count <= 0xFFFF, do: <<0xDE, count::16>>
  defp map_head(count) when count <= 0xFFFFFFFF, do: <<0xDF, count::32>>

  ## Unpacking

  defp unpack(<<0::1, n::7, rest::binary>>, _depth), do: {n, rest}
  defp unpack(<<0b111::3, n::5, rest::binary>>, _depth), do: {n - 32, rest}
  defp unpack(<<0b101::3, size::5, rest::binary>>, _depth), do: text(rest, size)
  defp unpack(<<0b1001::4, count::4, rest::binary>>, depth), do: array(rest, count, depth)
  defp unpack(<<0b1000::4, count::4, rest::binary>>, depth), do: map(rest, count, depth)
  defp unpack(<<0xC0, rest::binary>>, _depth), do: {nil, rest}
  defp unpack(<<0xC2, rest::binary>>, _depth), do: {false, rest}
  defp unpack(<<0xC3, rest::binary>>, _depth), do: {true, rest}
  defp unpack(<<0xC4, size, rest::binary>>, _depth), do: bin(rest, size)
  defp unpack(<<0xC5, size::16, rest::binary>>, _depth), do: bin(rest, size)
  defp unpack(<<0xC6, size::32, rest::binary>>, _depth), do: bin(rest, size)
  defp unpack(<<0xCA, f::float-32, rest::binary>>, _depth), do: {f, rest}
  defp unpack(<<0xCA, _::32, rest::binary>>, _depth), do: {:non_finite, rest}
  defp unpack(<<0xCB, f::float-64, rest::binary>>, _depth), do: {f, rest}
  defp unpack(<<0xCB, _::64, rest::binary>>, _depth), do: {:non_finite, rest}
  defp unpack(<<0xCC, n, rest::binary>>, _depth), do: {n, rest}
  defp unpack(<<0xCD, n::16, rest::binary>>, _depth), do: {n, rest}
  defp unpack(<<0xCE, n::32, rest::binary>>, _depth), do: {n, rest}
  defp unpack(<<0xCF, n::64, rest::binary>>, _depth), do: {n, rest}
  defp unpack(<<0xD0, n::signed-8, rest::binary>>, _depth), do: {n, rest}
  defp unpack(<<0xD1, n::signed-16, rest::binary>>, _depth), do: {n, rest}
  defp unpack(<<0xD2, n::signed-32, rest::binary>>, _depth), do: {n, rest}
  defp unpack(<<0xD3, n::signed-64, rest::binary>>, _depth), do: {n, rest}
  defp unpack(<<0xD9, size, rest::binary>>, _depth), do: text(rest, size)
  defp unpack(<<0xDA, size::16, rest::binary>>, _depth), do: text(rest, size)
  defp unpack(<<0xDB, size::32, rest::binary>>, _depth), do: text(rest, size)
  defp unpack(<<0xDC, count::16, rest::binary>>, depth), do: array(rest, count, depth)
  defp unpack(<<0xDD, count::32, rest::binary>>, depth), do: array(rest, count, depth)
  defp unpack(<<0xDE, count::16, rest::binary>>, depth), do: map(rest, count, depth)
  defp unpack(<<0xDF, count::32, rest::binary>>, depth), do: map(rest, count, depth)
  defp unpack(<<0xC1, _::binary>>, _depth), do: fail(:reserved)
  defp unpack(<<byte, _::binary>>, _depth) when byte in 0xC7..0xC9, do: fail(:ext)
  defp unpack(<<byte, _::binary>>, _depth) when byte in 0xD4..0xD8, do: fail(:ext)
  defp unpack(_bytes, _depth), do: fail(:truncated)

  # Copied, because a sub-binary would keep its whole frame alive for as long as anyone keeps the text.
  defp text(bytes, size) do
    {text, rest} = take(bytes, size)
    if String.valid?(text), do: {:binary.copy(text), rest}, else: fail(:utf8)
  end

  defp bin(bytes, size) do
    {bin, rest} = take(bytes, size)
    {{:bin, :binary.copy(bin)}, rest}
  end

  defp take(bytes, size) do
    case bytes do
      <<taken::binary-size(size), rest::binary>> -> {taken, rest}
      _short -> fail(:count)
    end
  end

  defp array(_bytes, _count, @deepest), do: fail(:depth)
  defp array(bytes, count, _depth) when count > byte_size(bytes), do: fail(:count)
  defp array(bytes, count, depth), do: elements(bytes, count, depth + 1, [])

  defp elements(bytes, 0, _depth, done), do: {Enum.reverse(done), bytes}

  defp elements(bytes, count, depth, done) do
    {value, rest} = unpack(bytes, depth)
    elements(rest, count - 1, depth, [value | done])
  end

  defp map(_bytes, _count, @deepest), do: fail(:depth)
  defp map(bytes, count, _depth) when 2 * count > byte_size(bytes), do: fail(:count)
  # A key that came twice is in the map once.
  defp map(bytes, count, depth) do
    {map, rest} = pairs(bytes, count, depth + 1, %{})
    if map_size(map) == count, do: {map, rest}, else: fail(:duplicate_key)
  end

  defp pairs(bytes, 0, _depth, done), do: {done, bytes}

  defp pairs(bytes, count, depth, done) do
    {key, rest} = key(bytes)
    {value, rest} = unpack(rest, depth)
    pairs(rest, count - 1, depth, Map.put(done, key, value))
  end

  defp key(<<0b101::3, size::5, rest::binary>>), do: text(rest, size)
  defp key(<<0xD9, size, rest::binary>>), do: text(rest, size)
  defp key(<<0xDA, size::16, rest::binary>>), do: text(rest, size)
  defp key(<<0xDB, size::32, rest::binary>>), do: text(rest, size)
  defp key(<<0b100::3, _::5, _::binary>>), do: fail(:key_type)
  defp key(<<0xC4, _, _::binary>>), do: fail(:key_type)
  defp key(<<byte, _::16, _::binary>>) when byte in [0xC5, 0xDC, 0xDE], do: fail(:key_type)
  defp key(<<byte, _::32, _::binary>>) when byte in [0xC6, 0xDD, 0xDF], do: fail(:key_type)

  # A number, `nil` or boolean that is whole is a wrong key; anything else is wrong by itself.
  defp key(bytes) do
    _scalar = unpack(bytes, 0)
    fail(:key_type)
  end

  defp finite?(:non_finite), do: false
  defp finite?(values) when is_list(values), do: Enum.all?(values, &finite?/1)
  defp finite?(map) when is_map(map), do: map |> Map.values() |> finite?()
  defp finite?(_scalar), do: true

  @spec fail(atom()) :: no_return()
  defp fail(detail), do: fail(:bad_envelope, detail)

  @spec fail(atom(), atom()) :: no_return()
  defp fail(code, detail), do: throw({__MODULE__, {code, detail}})
end
