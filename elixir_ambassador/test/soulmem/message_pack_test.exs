defmodule SoulMem.MessagePackTest do
  use ExUnit.Case, async: true

  import Bitwise

  alias SoulMem.{MessagePack, WireValues}

  # Each with the bytes that the MessagePack specification gives it.
  @shortest [
    {nil, "c0"},
    {false, "c2"},
    {true, "c3"},
    {0, "00"},
    {127, "7f"},
    {128, "cc80"},
    {255, "ccff"},
    {256, "cd0100"},
    {0xFFFF, "cdffff"},
    {0x10000, "ce00010000"},
    {0xFFFFFFFF, "ceffffffff"},
    {0x100000000, "cf0000000100000000"},
    {(1 <<< 64) - 1, "cfffffffffffffffff"},
    {-1, "ff"},
    {-32, "e0"},
    {-33, "d0df"},
    {-128, "d080"},
    {-129, "d1ff7f"},
    {-0x8000, "d18000"},
    {-0x8001, "d2ffff7fff"},
    {-0x80000000, "d280000000"},
    {-0x80000001, "d3ffffffff7fffffff"},
    {-(1 <<< 63), "d38000000000000000"},
    {1.5, "cb3ff8000000000000"},
    {-0.0, "cb8000000000000000"},
    {"", "a0"},
    {"é", "a2c3a9"},
    {{:bin, ""}, "c400"},
    {{:bin, <<1, 2>>}, "c4020102"},
    {[], "90"},
    {[1, [2]], "92019102"},
    {%{}, "80"},
    {%{"b" => 1, "a" => %{}}, "82a16180a16201"}
  ]

  test "writes the shortest form and reads it back" do
    for {value, hex} <- @shortest do
      bytes = Base.decode16!(hex, case: :lower)
      assert MessagePack.pack(value) == {:ok, bytes}
      assert {:ok, read} = MessagePack.unpack(bytes)
      assert read === value
    end
  end

  test "lengths change form where the specification says" do
    for {size, head} <-
          [{31, <<0xBF>>}, {32, <<0xD9, 32>>}, {255, <<0xD9, 255>>}, {256, <<0xDA, 256::16>>}] ++
            [{65_535, <<0xDA, 0xFFFF::16>>}, {65_536, <<0xDB, 0x10000::32>>}] do
      text = String.duplicate("x", size)
      assert MessagePack.pack(text) == {:ok, head <> text}
    end

    for {count, head} <- [
          {15, <<0x9F>>},
          {16, <<0xDC, 16::16>>},
          {65_535, <<0xDC, 0xFFFF::16>>},
          {65_536, <<0xDD, 0x10000::32>>}
        ] do
      assert {:ok, <<^head::binary-size(byte_size(head)), 0xC0, _::binary>>} =
               MessagePack.pack(List.duplicate(nil, count))
    end

    for {size, head} <- [
          {255, <<0xC4, 255>>},
          {256, <<0xC5, 256::16>>},
          {65_536, <<0xC6, 0x10000::32>>}
        ] do
      bytes = :binary.copy(<<0>>, size)
      assert MessagePack.pack({:bin, bytes}) == {:ok, head <> bytes}
    end
  end

  test "a reader takes any width" do
    assert MessagePack.unpack(<<0xCC, 1>>) == {:ok, 1}
    assert MessagePack.unpack(<<0xD3, 1::64>>) == {:ok, 1}
    assert MessagePack.unpack(<<0xCA, 1.5::float-32>>) == {:ok, 1.5}
    assert MessagePack.unpack(<<0xDB, 1::32, ?a>>) == {:ok, "a"}
    assert MessagePack.unpack(<<0xDF, 1::32, 0xA1, ?a, 0xDD, 0::32>>) == {:ok, %{"a" => []}}
  end

  test "refuses what the protocol refuses" do
    for {hex, error} <- [
          {"", {:bad_envelope, :truncated}},
          {"cd00", {:bad_envelope, :truncated}},
          {"91", {:bad_envelope, :count}},
          {"9291", {:bad_envelope, :count}},
          {"ddffffffff", {:bad_envelope, :count}},
          {"dfffffffff", {:bad_envelope, :count}},
          {"dbffffffff", {:bad_envelope, :count}},
          {"c6ffffffff", {:bad_envelope, :count}},
          {"c0c0", {:bad_envelope, :trailing_bytes}},
          {"c1", {:bad_envelope, :reserved}},
          {"d40000", {:bad_envelope, :ext}},
          {"c70000", {:bad_envelope, :ext}},
          {"a1ff", {:bad_envelope, :utf8}},
          {"a3eda080", {:bad_envelope, :utf8}},
          {"810102", {:bad_envelope, :key_type}},
          {"81c40161c0", {:bad_envelope, :key_type}},
          {"81c0c0", {:bad_envelope, :key_type}},
          {"82a16101a16102", {:bad_envelope, :duplicate_key}},
          {"cb7ff0000000000000", {:invalid_argument, :non_finite}},
          {"cb7ff8000000000000", {:invalid_argument, :non_finite}},
          {"caff800000", {:invalid_argument, :non_finite}},
          {"92cb7ff0000000000000c1", {:bad_envelope, :reserved}},
          {"81a161cb7ff0000000000000", {:invalid_argument, :non_finite}}
        ] do
      assert MessagePack.unpack(Base.decode16!(hex, case: :lower)) == {:error, error}, hex
    end
  end

  test "64 levels are read and written, 65 are not" do
    deep = Enum.reduce(1..63, [], fn _, inner -> [inner] end)
    assert {:ok, bytes} = MessagePack.pack(deep)
    assert MessagePack.unpack(bytes) == {:ok, deep}
    assert MessagePack.pack([deep]) == {:error, {:bad_envelope, :depth}}
    assert MessagePack.unpack(<<0x91>> <> bytes) == {:error, {:bad_envelope, :depth}}

    assert MessagePack.unpack(:binary.copy(<<0x91>>, 1_000_000)) ==
             {:error, {:bad_envelope, :depth}}
  end

  test "writes nothing that is not of the wire" do
    for term <- [
          :atom,
          {1, 2},
          self(),
          1 <<< 64,
          -(1 <<< 63) - 1,
          ~D[2026-01-01],
          [:a],
          %{a: 1},
          %{1 => 1},
          <<0xFF>>
        ] do
      assert {:error, {code, rule}} = MessagePack.pack(term)
      assert code in [:invalid_argument, :bad_envelope] and is_atom(rule)
    end
  end

  test "a value packed before goes in as it is" do
    {:ok, inner} = MessagePack.pack(%{"a" => [1]})

    assert MessagePack.pack(%{"p" => {:packed, inner}}) ==
             MessagePack.pack(%{"p" => %{"a" => [1]}})
  end

  test "text does not keep its frame alive" do
    {:ok, frame} = MessagePack.pack([String.duplicate("x", 100), {:bin, :binary.copy(<<0>>, 10_000)}])

    {:ok, [text, {:bin, bytes}]} = MessagePack.unpack(frame)
    assert :binary.referenced_byte_size(text) == 100
    assert :binary.referenced_byte_size(bytes) == 10_000
  end

  test "any value survives, every cut of it is an error" do
    for seed <- 1..300 do
      WireValues.with_seed(seed, fn ->
        value = WireValues.value()
        assert {:ok, bytes} = MessagePack.pack(value)
        assert {:ok, read} = MessagePack.unpack(bytes)
        assert read === value

        for cut <- Enum.take(0..(byte_size(bytes) - 1)//1, 64) do
          assert {:error, {:bad_envelope, _rule}} = MessagePack.unpack(binary_part(bytes, 0, cut))
        end
      end)
    end
  end

  test "random bytes are a value or an error, never a crash" do
    for seed <- 1..2_000 do
      WireValues.with_seed(seed, fn ->
        case MessagePack.unpack(:rand.bytes(:rand.uniform(40))) do
          {:ok, value} ->
            assert {:ok, _bytes} = MessagePack.pack(value)

          {:error, {code, rule}} ->
            assert code in [:bad_envelope, :invalid_argument] and is_atom(rule)
        end
      end)
    end
  end
end
