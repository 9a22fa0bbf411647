defmodule SoulMem.OptionsTest do
  use ExUnit.Case, async: true

  alias SoulMem.Options

  test "fills in defaults" do
    options = Options.start!(role: :relay)
    assert options[:name] == SoulMem
    assert options[:max_frame_bytes] == 16_777_216
    assert Options.call!([])[:timeout] == 5_000
  end

  test "names what is wrong" do
    for {option, message} <- [
          {[daemon: "x"], "unknown keys [:daemon]"},
          {[role: :owner], "option :role cannot be :owner"},
          {[relay_limit: 0], "option :relay_limit cannot be 0"},
          {[daemon_args: "--x"], ~S(option :daemon_args cannot be "--x")},
          {[daemon_env: [{"A", 1}]], ~S(option :daemon_env cannot be [{"A", 1}])},
          {[restart_backoff: [min: 2, max: 1]], "option :restart_backoff cannot be"},
          {[nodes: [:desktop]], "option :nodes cannot be [:desktop]"},
          {[nodes: :soulmem@desktop], "option :nodes cannot be :soulmem@desktop"},
          {[discovery_backoff: [min: 0, max: 1]], "option :discovery_backoff cannot be"},
          {[data_dir: 'x'], "option :data_dir cannot be"}
        ] do
      error =
        assert_raise ArgumentError, fn ->
          Options.start!([role: :relay] |> Keyword.merge(option))
        end

      assert Exception.message(error) =~ message
    end
  end

  test "a daemon that is not there is said before anything starts" do
    error = assert_raise ArgumentError, fn -> Options.start!(daemon_path: "/no/such/soulmem") end
    assert Exception.message(error) =~ "there is no soulmem daemon at /no/such/soulmem: build it"
  end

  test "options of a call" do
    for option <-
          [
            [timeout: 0],
            [timeout: :infinity],
            [timeout: 604_800_001],
            [retries: -1],
            [idempotency_key: ""],
            [tiemout: 1]
          ] ++
            [[idempotency_key: String.duplicate("k", 65)], [node: "a@b"], [instance: "x"]] do
      assert_raise ArgumentError, fn -> Options.call!(option) end
    end

    assert Options.split_call(timeout: 1, limit: 3) == {[timeout: 1], [limit: 3]}
  end
end
