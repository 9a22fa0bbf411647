defmodule SoulMem.JSON do
  @moduledoc false
  # A strict reader of RFC 8259 text, for what reaches this side as JSON: the daemon's ready line and the sample
  # conversations. Neither OTP 25 nor Elixir 1.14 brings one. Objects become maps with string keys.

  @deepest 512

  @spec decode(binary()) :: {:ok, term()} | {:error, String.t()}
  def decode(text) when is_binary(text) do
    if String.valid?(text), do: {:ok, document(text)}, else: {:error, "not UTF-8"}
  catch
    {__MODULE__, reason} -> {:error, reason}
  end

  defp document(text) do
    {value, rest} = value(skip(text), 0)
    if skip(rest) == "", do: value, else: fail("text after the value", rest)
  end

  defp value(_text, depth) when depth > @deepest, do: fail("nested deeper than #{@deepest}", "")
  defp value("null" <> rest, _depth), do: {nil, rest}
  defp value("true" <> rest, _depth), do: {true, rest}
  defp value("false" <> rest, _depth), do: {false, rest}
  defp value("\"" <> rest, _depth), do: string(rest, [])
  defp value("[" <> rest, depth), do: first_element(skip(rest), depth + 1)
  defp value("{" <> rest, depth), do: first_member(skip(rest), depth + 1)
  defp value(text, _depth), do: number(text)

  defp first_element("]" <> rest, _depth), do: {[], rest}
  defp first_element(text, depth), do: elements(text, depth, [])

  defp elements(text, depth, done) do
    {value, rest} = value(text, depth)

    case skip(rest) do
      "," <> rest -> elements(skip(rest), depth, [value | done])
      "]" <> rest -> {Enum.reverse([value | done]), rest}
      rest -> fail("expected , or ]", rest)
    end
  end

  defp first_member("}" <> rest, _depth), do: {%{}, rest}
  defp first_member(text, depth), do: members(text, depth, %{})

  defp members("\"" <> rest, depth, done) do
    {key, rest} = string(rest, [])
    if is_map_key(done, key), do: fail("key #{inspect(key)} twice", rest)
    {value, rest} = rest |> skip() |> colon() |> skip() |> value(depth)
    done = Map.put(done, key, value)

    case skip(rest) do
      "," <> rest -> members(skip(rest), depth, done)
      "}" <> rest -> {done, rest}
      rest -> fail("expected , or }", rest)
    end
  end

  defp members(text, _depth, _done), do: fail("expected a key", text)

  defp colon(":" <> rest), do: rest
  defp colon(text), do: fail("expected :", text)

  defp string("\"" <> rest, done), do: {IO.iodata_to_binary(Enum.reverse(done)), rest}
  defp string("\\u" <> rest, done), do: escaped_unit(rest, done)
  defp string(<<?\\, char, rest::binary>>, done), do: string(rest, [escape(char) | done])
  defp string(<<char, _::binary>> = text, _done) when char < 0x20, do: fail("raw control", text)
  defp string(<<char::utf8, rest::binary>>, done), do: string(rest, [<<char::utf8>> | done])
  defp string("", _done), do: fail("string without end", "")

  defp escaped_unit(text, done) do
    case unit(text) do
      {high, "\\u" <> rest} when high in 0xD800..0xDBFF -> low_surrogate(high, rest, done)
      {code, rest} when code in 0xD800..0xDFFF -> fail("half a surrogate pair", rest)
      {code, rest} -> string(rest, [<<code::utf8>> | done])
    end
  end

  defp low_surrogate(high, text, done) do
    case unit(text) do
      {low, rest} when low in 0xDC00..0xDFFF ->
        code = 0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00)
        string(rest, [<<code::utf8>> | done])

      {_other, rest} ->
        fail("half a surrogate pair", rest)
    end
  end

  defp unit(<<digits::binary-size(4), rest::binary>>) do
    if digits =~ ~r/\A[0-9a-fA-F]{4}\z/,
      do: {String.to_integer(digits, 16), rest},
      else: fail("four hex digits are due", digits)
  end

  defp unit(text), do: fail("four hex digits are due", text)

  defp escape(char) when char in [?", ?\\, ?/], do: char
  defp escape(?b), do: ?\b
  defp escape(?f), do: ?\f
  defp escape(?n), do: ?\n
  defp escape(?r), do: ?\r
  defp escape(?t), do: ?\t
  defp escape(char), do: fail("unknown escape", <<char>>)

  defp number(text) do
    case Regex.run(~r/\A-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/, text) do
      [digits] -> {String.to_integer(digits), rest_after(text, digits)}
      [digits | parts] -> {float(digits, parts), rest_after(text, digits)}
      nil -> fail("expected a value", text)
    end
  end

  defp rest_after(text, digits), do: binary_part(text, byte_size(digits), byte_size(text) - byte_size(digits))

  # Erlang wants a fraction before an exponent.
  defp float(digits, ["", _exponent]), do: float(String.replace(digits, ~r/[eE]/, ".0e"), [])

  defp float(digits, _parts) do
    String.to_float(digits)
  rescue
    ArgumentError -> fail("number out of range", digits)
  end

  defp skip(<<space, rest::binary>>) when space in [?\s, ?\t, ?\n, ?\r], do: skip(rest)
  defp skip(text), do: text

  @spec fail(String.t(), binary()) :: no_return()
  defp fail(reason, rest), do: throw({__MODULE__, "#{reason} at #{inspect(String.slice(rest, 0, 20))}"})
end
