defmodule SoulMem.Events.SubscribersTest do
  use ExUnit.Case, async: true

  alias SoulMem.Events.Subscribers

  # As many unread messages as a subscriber may have before it is told no more.
  @limit 1_000

  test "one that does not read is left behind alone, and hears how far" do
    slow = spawn_link(fn -> read_when_asked() end)

    subscribers =
      Subscribers.new()
      |> Subscribers.add(slow, "mei", ["state"])
      |> Subscribers.add(self(), "mei", ["state"])

    for number <- 1..(@limit - 1), do: send(slow, number)
    subscribers = for number <- 1..5, reduce: subscribers, do: (subscribers -> tell(subscribers, number))

    # One fits in; four do not. Whoever reads has all five.
    for number <- 1..5, do: assert_received({:soulmem, %{payload: %{"number" => ^number}}})
    assert Subscribers.behind?(subscribers)
    assert read(slow) == [told("state", %{"number" => 1})]

    refute subscribers |> Subscribers.flush() |> Subscribers.behind?()
    assert read(slow) == [told("lagged", %{"dropped" => 4})]
  end

  test "what was missed is told before what comes next" do
    slow = spawn_link(fn -> read_when_asked() end)
    subscribers = Subscribers.add(Subscribers.new(), slow, "mei", ["state"])
    for number <- 1..@limit, do: send(slow, number)
    subscribers = tell(subscribers, 1)
    assert read(slow) == []
    refute subscribers |> tell(2) |> Subscribers.behind?()
    assert read(slow) == [told("lagged", %{"dropped" => 1}), told("state", %{"number" => 2})]
  end

  test "what anyone wants is wanted until nobody does" do
    subscribers =
      Subscribers.new()
      |> Subscribers.add(self(), "mei", ["state"])
      |> Subscribers.add(:elsewhere@home, "mei", ["forgotten", "state"])

    assert Subscribers.wanted(subscribers, "mei") == ["forgotten", "state"]
    less = Subscribers.remove(subscribers, :elsewhere@home, "mei", ["forgotten"])
    assert Subscribers.wanted(less, "mei") == ["state"]
    assert subscribers |> Subscribers.remove_all(:elsewhere@home) |> Subscribers.wanted("mei") == ["state"]
    assert subscribers |> Subscribers.remove_all(self()) |> Subscribers.remove(:elsewhere@home, "mei") == %{}
  end

  defp tell(subscribers, number), do: Subscribers.tell(subscribers, "mei", "state", %{"number" => number}, SoulMem)

  defp told(event, payload), do: {:soulmem, %{event: event, soul: "mei", payload: payload}}

  # A process that reads nothing but what asks it to read all else.
  defp read_when_asked do
    receive do
      {:read, from} -> send(from, {:read, Enum.reject(everything([]), &is_integer/1)})
    end

    read_when_asked()
  end

  defp everything(read) do
    receive do
      message -> everything([message | read])
    after
      0 -> Enum.reverse(read)
    end
  end

  defp read(slow) do
    send(slow, {:read, self()})
    assert_receive {:read, messages}, 5_000
    messages
  end
end
