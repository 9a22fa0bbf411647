# For a test in another language: reads frames (4 bytes of length, big-endian, then MessagePack) from standard
# input, reads each as a value, and writes the value as a frame to standard output. A frame that is refused is
# answered with an empty one. Ends with its input.
#
#     elixir --erl -noinput -pa _build/test/lib/soulmem/ebin test/support/echo_codec.exs
#
# `-noinput` leaves standard input to this script.

alias SoulMem.MessagePack

echo = fn echo, port ->
  receive do
    {^port, {:data, frame}} ->
      answer =
        with {:ok, value} <- MessagePack.unpack(frame),
             {:ok, bytes} <- MessagePack.pack(value) do
          bytes
        else
          {:error, _reason} -> ""
        end

      Port.command(port, answer)
      echo.(echo, port)

    {^port, :eof} ->
      :ok
  end
end

echo.(echo, Port.open({:fd, 0, 1}, [:binary, :eof, packet: 4]))
