defmodule SoulMem.GoldenVectorsTest do
  use ExUnit.Case, async: true

  alias SoulMem.{MessagePack, Protocol, Twin}

  @folder Path.expand("../../../fixtures/wire", __DIR__)

  # The same files are read and written by the daemon's tests; together they pin both sides to one encoding.
  vectors =
    @folder
    |> Path.join("*.msgpack")
    |> Path.wildcard()
    |> Enum.map(&Path.basename(&1, ".msgpack"))

  # A folder that moved would leave nothing to test, in silence.
  if vectors == [], do: raise("there are no vectors in #{@folder}")

  {bad, good} = Enum.split_with(vectors, &String.starts_with?(&1, "bad_"))
  @bad bad
  @good good
  @frames Enum.filter(good, &String.starts_with?(&1, "frame_"))
  @refused Enum.filter(good, &String.starts_with?(&1, "refused_"))

  test "what is good means what its twin says, and is written again byte for byte" do
    for name <- @good do
      {bytes, twin} = vector(name)
      value = Twin.value(twin["value"])
      assert {:ok, read} = MessagePack.unpack(bytes), name
      assert read === value, "#{name}: #{twin["about"]}"
      assert MessagePack.pack(value) == {:ok, written(twin, bytes)}, "#{name}: #{twin["about"]}"
    end
  end

  test "what is bad is refused for the reason that its twin says" do
    for name <- @bad do
      {bytes, twin} = vector(name)
      error = {String.to_existing_atom(twin["error"]), String.to_existing_atom(twin["detail"])}
      assert MessagePack.unpack(bytes) == {:error, error}, "#{name}: #{twin["about"]}"
      assert Protocol.decode(bytes) == {:error, error}, name
    end
  end

  test "every cut of every vector is an error" do
    for name <- @good do
      {bytes, _twin} = vector(name)
      # Of long ones, which say the same all through, the beginning and the end.
      cuts = 0..(byte_size(bytes) - 1)//1

      cuts =
        if byte_size(bytes) > 2_000,
          do: Enum.concat(0..1_000, (byte_size(bytes) - 100)..cuts.last),
          else: cuts

      for cut <- cuts do
        assert {:error, {:bad_envelope, rule}} = MessagePack.unpack(binary_part(bytes, 0, cut)),
               "#{name} at #{cut}"

        assert rule in [:truncated, :count], "#{name} at #{cut}"
      end
    end
  end

  test "frames are read as messages" do
    for name <- @frames do
      {bytes, twin} = vector(name)
      value = Twin.value(twin["value"])
      assert {:ok, message} = Protocol.decode(bytes), name
      assert Atom.to_string(message.kind) == value["kind"]
      assert message.payload == (value["payload"] || %{})

      for key <- [:msg_id, :op, :soul, :deadline_ms, :idempotency_key] do
        assert message[key] == value[Atom.to_string(key)], name
      end
    end
  end

  # What a request must be beyond its envelope (a known operation, a good name) is the daemon's to say.
  test "frames without the shape of an envelope are refused with the daemon's code" do
    for name <- @refused, {bytes, twin} = vector(name), shape?(twin) do
      code = String.to_existing_atom(twin["rejection"]["code"])
      assert {:error, {^code, _detail}} = Protocol.decode(bytes), name
    end
  end

  defp shape?(twin) do
    twin["rejection"]["code"] in ["bad_envelope", "unsupported_version"] and
      not match?(%{"kind" => "res"}, twin["value"])
  end

  defp written(%{"reencoded" => hex}, _bytes), do: Base.decode16!(hex, case: :lower)
  defp written(_twin, bytes), do: bytes

  defp vector(name) do
    path = Path.join(@folder, name)
    {File.read!(path <> ".msgpack"), Twin.read!(path <> ".json")}
  end
end
