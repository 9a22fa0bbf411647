defmodule SoulMem.ConnectionTest do
  use ExUnit.Case, async: true

  import ExUnit.CaptureLog
  import SoulMem.FakeServer

  alias SoulMem.{Connection, Endpoint, Error, Options, Request}

  @moduletag :capture_log

  setup do
    {listener, ready} = listen()
    %{listener: listener, ready: ready}
  end

  describe "connecting" do
    test "greets, tells watchers, and lets those who wait go on", %{
      listener: listener,
      ready: ready
    } do
      conn = start(ready)
      assert Connection.watch(conn) == :down
      waiting = Task.async(fn -> Connection.await(conn, 5_000) end)
      welcome(listener)

      assert_receive {Connection, :up, %{"protocol" => 1}}, 5_000
      assert Task.await(waiting) == :ok
      assert {:up, %{"protocol" => 1}} = Connection.watch(conn)
    end

    test "tries again when the token is refused, and says why", %{
      listener: listener,
      ready: ready
    } do
      log =
        capture_log(fn ->
          conn = start(ready)
          socket = accept(listener)
          refuse(socket, read(socket), "unauthenticated")
          welcome(listener)
          assert Connection.await(conn, 5_000) == :ok
        end)

      assert log =~ "it refused hello: no"
      refute log =~ ready.token.()
    end

    test "callers are told where the two speak no protocol in common, until another daemon is up", %{
      listener: listener,
      ready: ready
    } do
      conn = start(ready)
      socket = accept(listener)
      refuse(socket, read(socket), "unsupported_version")
      # The next try comes after this was noticed.
      socket = accept(listener)
      assert {:error, %Error{reason: :unsupported_version} = error} = Connection.request(conn, request("ping"))
      refute error.retryable
      assert error.detail =~ "bring the older of the two up to date"
      answer(socket, read(socket), %{"protocol" => 2, "souls" => []})
      socket = accept(listener)
      assert {:error, %Error{reason: :unsupported_version}} = Connection.request(conn, request("ping"))
      answer(socket, read(socket), %{"protocol" => 1, "souls" => [], "new" => %{"of" => "later"}})
      assert Connection.await(conn, 5_000) == :ok
    end

    test "tries again when hello is not answered", %{listener: listener, ready: ready} do
      conn = start(ready, hello_timeout: 50)
      _silent = accept(listener)
      welcome(listener)
      assert Connection.await(conn, 5_000) == :ok
    end

    test "requests fail at once while there is no connection", %{ready: ready} do
      conn = start(nil)

      assert {:error, %Error{reason: :daemon_down, op: "ping"}} = Connection.request(conn, request("ping"))

      assert {:error, %Error{reason: :daemon_down}} = Connection.await(conn, 1)
      assert is_integer(ready.port)
    end

    test "a server that speaks something else is left", %{listener: listener, ready: ready} do
      conn = start(ready)
      :ok = :gen_tcp.send(accept(listener), "HTTP/1.1 400 Bad Request")
      welcome(listener)
      assert Connection.await(conn, 5_000) == :ok
    end
  end

  describe "requests" do
    test "are pipelined and matched, whatever the order of the answers", %{
      listener: listener,
      ready: ready
    } do
      {conn, socket} = connected(ready, listener)
      calls = for n <- 1..20, do: async_request(conn, "op#{n}")
      requests = for _ <- 1..20, do: read(socket)
      for request <- Enum.shuffle(requests), do: answer(socket, request, %{"of" => request.op})

      assert Task.await_many(calls) == for(n <- 1..20, do: {:ok, %{"of" => "op#{n}"}})
    end

    test "carry deadline, character and key", %{listener: listener, ready: ready} do
      {conn, socket} = connected(ready, listener)

      {:ok, request} =
        Request.new(
          "push",
          "xiaohong",
          %{text: "hi"},
          Options.call!(timeout: 4_000, idempotency_key: "k1")
        )

      call = Task.async(fn -> Connection.request(conn, request) end)

      assert %{op: "push", soul: "xiaohong", idempotency_key: "k1", payload: %{"text" => "hi"}} = read = read(socket)

      assert read.deadline_ms in 1..4_000
      answer(socket, read, %{})
      assert Task.await(call) == {:ok, %{}}
    end

    test "an error of the daemon is the caller's", %{listener: listener, ready: ready} do
      {conn, socket} = connected(ready, listener)
      call = async_request(conn, "consolidate")
      refuse(socket, read(socket), "unknown_op")

      assert {:error, %Error{reason: :unknown_op, op: "consolidate", detail: "no"}} = Task.await(call)
    end

    test "an answer that comes too late finds nobody", %{listener: listener, ready: ready} do
      {conn, socket} = connected(ready, listener)
      late = async_request(conn, "slow", timeout: 30)
      slow = read(socket)
      assert {:error, %Error{reason: :deadline, op: "slow"}} = Task.await(late)

      answer(socket, slow, %{"late" => true})
      call = async_request(conn, "quick")
      quick = read(socket)
      assert quick.msg_id != slow.msg_id
      answer(socket, quick, %{"late" => false})
      assert Task.await(call) == {:ok, %{"late" => false}}
    end

    test "what has expired is not sent", %{listener: listener, ready: ready} do
      {conn, socket} = connected(ready, listener)
      expired = request("expired")
      expired = %{expired | deadline: expired.deadline - 10_000}
      assert {:error, %Error{reason: :deadline}} = Connection.request(conn, expired)
      call = async_request(conn, "next")
      assert %{op: "next"} = next = read(socket)
      answer(socket, next, %{})
      assert Task.await(call) == {:ok, %{}}
    end

    test "past the cap they are refused at once; an answer makes room", %{
      listener: listener,
      ready: ready
    } do
      {conn, socket} = connected(ready, listener, max_in_flight: 2)
      first = async_request(conn, "a")
      read_first = read(socket)
      second = async_request(conn, "b")
      read_second = read(socket)

      assert {:error, %Error{reason: :overloaded, retryable: true}} = Connection.request(conn, request("c"))

      answer(socket, read_first, %{})
      assert {:ok, _} = Task.await(first)
      third = async_request(conn, "d")
      answer(socket, read(socket), %{})
      answer(socket, read_second, %{})
      assert {:ok, _} = Task.await(third)
      assert {:ok, _} = Task.await(second)
    end

    test "the daemon's limits count where they are stricter", %{listener: listener, ready: ready} do
      {conn, _socket} = connected(ready, listener, [], %{"frame_bytes" => 1_000, "in_flight" => 0})

      assert {:error, %Error{reason: :overloaded}} = Connection.request(conn, request("a"))

      {listener, ready} = listen()
      {conn, socket} = connected(ready, listener, [], %{"frame_bytes" => 1_000})

      assert {:error, %Error{reason: :too_large}} =
               Connection.request(
                 conn,
                 request("push", payload: %{text: String.duplicate("x", 1_000)})
               )

      call = async_request(conn, "push")
      answer(socket, read(socket), %{})
      assert {:ok, _} = Task.await(call)
    end

    test "an answer over the frame size ends the connection, not the node", %{
      listener: listener,
      ready: ready
    } do
      {conn, socket} = connected(ready, listener, max_frame_bytes: 1_000)
      call = async_request(conn, "big")
      answer(socket, read(socket), %{"text" => String.duplicate("x", 1_001)})
      assert {:error, %Error{reason: :daemon_down}} = Task.await(call)
      welcome(listener)
      assert Connection.await(conn, 5_000) == :ok
    end

    test "32 requests of 50 KB before any answer do not hang", %{listener: listener, ready: ready} do
      {conn, socket} = connected(ready, listener)
      text = String.duplicate("记", 17_000)
      calls = for n <- 1..32, do: async_request(conn, "op#{n}", payload: %{text: text})
      for _ <- 1..32, do: answer(socket, read(socket), %{"text" => text})
      assert Enum.all?(Task.await_many(calls), &match?({:ok, %{"text" => ^text}}, &1))
    end
  end

  describe "losing the daemon" do
    test "fails what is in flight, tells watchers, and comes back", %{
      listener: listener,
      ready: ready
    } do
      {conn, socket} = connected(ready, listener)
      assert {:up, _} = Connection.watch(conn)
      calls = for op <- ["a", "b"], do: async_request(conn, op)
      for _ <- calls, do: read(socket)
      :gen_tcp.close(socket)

      for call <- calls, do: assert({:error, %Error{reason: :daemon_down}} = Task.await(call))
      assert_receive {Connection, :down, _reason}
      welcome(listener)
      assert_receive {Connection, :up, _hello}, 5_000
    end

    test "what was answered before it fell is delivered", %{listener: listener, ready: ready} do
      endpoint = start_supervised!({Endpoint, ready})
      conn = start_supervised!({Connection, options(endpoint, [])})
      socket = welcome(listener)
      :ok = Connection.await(conn, 5_000)
      answered = async_request(conn, "answered")
      request = read(socket)
      lost = async_request(conn, "lost")
      read(socket)

      Endpoint.down(endpoint)
      answer(socket, request, %{"in" => "time"})
      :gen_tcp.close(socket)
      assert Task.await(answered) == {:ok, %{"in" => "time"}}
      assert {:error, %Error{reason: :daemon_down}} = Task.await(lost)
    end

    test "follows the daemon to where it is next", %{listener: listener, ready: ready} do
      endpoint = start_supervised!({Endpoint, ready})
      conn = start_supervised!({Connection, options(endpoint, [])})
      socket = welcome(listener)
      :ok = Connection.await(conn, 5_000)

      {next_listener, next_ready} = listen()
      :gen_tcp.close(listener)
      Endpoint.down(endpoint)
      :gen_tcp.close(socket)
      Endpoint.up(endpoint, next_ready)
      next_socket = welcome(next_listener)
      :ok = Connection.await(conn, 5_000)
      call = async_request(conn, "ping")
      answer(next_socket, read(next_socket), %{})
      assert Task.await(call) == {:ok, %{}}
    end

    test "a daemon that answers nothing is asked, then left", %{listener: listener, ready: ready} do
      {conn, socket} = connected(ready, listener, health_interval: 50)
      call = async_request(conn, "slow")
      read(socket)
      assert %{op: "ping"} = read(socket)

      assert {:error, %Error{reason: :daemon_down, detail: "it does not answer"}} = Task.await(call)
    end

    test "a daemon that is slow but there is waited for", %{listener: listener, ready: ready} do
      {conn, socket} = connected(ready, listener, health_interval: 500)
      call = async_request(conn, "slow")
      slow = read(socket)
      for _ <- 1..3, do: assert(%{op: "ping"} = ping = read(socket)) && answer(socket, ping, %{})
      answer(socket, slow, %{"at" => "last"})
      assert Task.await(call) == {:ok, %{"at" => "last"}}
    end

    test "garbage ends the connection", %{listener: listener, ready: ready} do
      {conn, socket} = connected(ready, listener)
      call = async_request(conn, "a")
      read(socket)
      :ok = :gen_tcp.send(socket, <<0xC1>>)
      assert {:error, %Error{reason: :daemon_down, detail: detail}} = Task.await(call)
      assert detail =~ "does not speak the protocol (reserved)"
    end
  end

  test "events go to watchers", %{listener: listener, ready: ready} do
    {conn, socket} = connected(ready, listener)
    {:up, _} = Connection.watch(conn)
    event(socket, "state", "xiaohong", %{"state" => "Idle"})

    assert_receive {Connection, :event, %{op: "state", soul: "xiaohong", payload: %{"state" => "Idle"}}},
                   5_000
  end

  defp connected(ready, listener, options \\ [], limits \\ %{}) do
    conn = start(ready, options)
    socket = welcome(listener, limits)
    :ok = Connection.await(conn, 5_000)
    {conn, socket}
  end

  defp start(ready, options \\ []) do
    endpoint = start_supervised!({Endpoint, ready}, id: make_ref())
    start_supervised!({Connection, options(endpoint, options)}, id: make_ref())
  end

  defp options(endpoint, given) do
    [role: :relay, reconnect_backoff: [min: 1, max: 20]]
    |> Keyword.merge(given)
    |> Options.start!()
    |> Keyword.drop([:name])
    |> Keyword.put(:daemon, endpoint)
  end

  defp request(op, options \\ []) do
    {payload, options} = Keyword.pop(options, :payload, %{})
    {:ok, request} = Request.new(op, nil, payload, Options.call!(options))
    request
  end

  defp async_request(conn, op, options \\ []) do
    request = request(op, options)
    Task.async(fn -> Connection.request(conn, request) end)
  end
end
