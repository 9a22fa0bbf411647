defmodule SoulMem.FakeServer do
  @moduledoc false
  # The daemon's end of a real loopback connection, played step by step by the test itself.

  import ExUnit.Assertions

  alias SoulMem.{Protocol, ReadyLine}

  @token "a token"
  @patience 5_000

  def listen do
    {:ok, listener} = :gen_tcp.listen(0, [:binary, packet: 4, active: false, ip: {127, 0, 0, 1}])
    {:ok, port} = :inet.port(listener)
    {listener, %ReadyLine{port: port, token: fn -> @token end, pid: 1, version: "0"}}
  end

  @doc "The next connection, before its hello."
  def accept(listener) do
    assert {:ok, socket} = :gen_tcp.accept(listener, @patience)
    socket
  end

  @doc "The next connection, greeted."
  def welcome(listener, limits \\ %{}) do
    socket = accept(listener)
    assert %{op: "hello", payload: %{"token" => @token}} = hello = read(socket)
    answer(socket, hello, %{"protocol" => 1, "souls" => [], "limits" => limits})
    socket
  end

  def read(socket) do
    assert {:ok, frame} = :gen_tcp.recv(socket, 0, @patience)
    assert {:ok, %{kind: :req} = request} = Protocol.decode(frame)
    request
  end

  def answer(socket, request, payload),
    do: write(socket, :res, %{msg_id: request.msg_id, op: request.op, payload: payload})

  def refuse(socket, request, code) do
    payload = %{"code" => code, "message" => "no", "retryable" => false}
    write(socket, :err, %{msg_id: request.msg_id, op: request.op, payload: payload})
  end

  def event(socket, name, soul, payload), do: write(socket, :event, %{op: name, soul: soul, payload: payload})

  defp write(socket, kind, fields) do
    {:ok, frame} = Protocol.encode(kind, fields)
    :ok = :gen_tcp.send(socket, frame)
  end
end
