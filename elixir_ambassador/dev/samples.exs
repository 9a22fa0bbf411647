defmodule SoulMem.Dev.Samples do
  @moduledoc false
  # The characters that a first start brings along: a graph of notes, by way of the command line as anyone would
  # import one, and a conversation, by way of this node.

  alias SoulMem.JSON

  @characters [
    {"xiaohong", [display_name: "小红", locale: "zh-CN"]},
    {"tom", [display_name: "Tom", locale: "en"]}
  ]

  @doc "Sees to it that every sample is there; says in a line for each what it did."
  def load!(fixtures, data_dir) do
    there = for %{"soul" => soul} <- SoulMem.list_souls!()["souls"], do: soul

    for {soul, about} <- @characters do
      unless soul in there, do: SoulMem.create_soul!(soul, about)
      load!(soul, Path.join([fixtures, "characters", soul]), data_dir, SoulMem.stats!(soul))
    end
  end

  defp load!(soul, folder, data_dir, stats) do
    notes = stats["notes_by_type"] |> Map.values() |> Enum.sum()
    if notes == 0, do: import!(soul, Path.join(folder, "graph.json"), data_dir)
    if stats["messages"] == 0, do: push!(soul, Path.join(folder, "conversation.jsonl"))
    now = SoulMem.stats!(soul)
    loaded = if notes == 0 or stats["messages"] == 0, do: "loaded", else: "there already"
    notes = now["notes_by_type"] |> Map.values() |> Enum.sum()
    "#{soul}: #{loaded}, #{notes} notes, #{now["links"]} links, #{now["messages"]} messages"
  end

  defp import!(soul, graph, data_dir) do
    arguments = ["import", "--data-dir", data_dir, "--soul", soul, graph]

    case System.cmd(daemon_path(), arguments, stderr_to_stdout: true) do
      {_report, 0} ->
        :ok

      {report, status} ->
        raise "soulmem #{Enum.join(arguments, " ")} failed (exit status #{status}): #{report}"
    end
  end

  # One push, so that it is all there or not at all, under a key that is the same at every try.
  defp push!(soul, conversation) do
    messages = conversation |> File.stream!() |> Enum.map(&message!/1)
    SoulMem.push!(soul, messages, idempotency_key: "samples-#{soul}", timeout: 60_000)
  end

  defp message!(line) do
    {:ok, message} = JSON.decode(line)
    message
  end

  def daemon_path, do: SoulMem.Options.start!([])[:daemon_path]
end
