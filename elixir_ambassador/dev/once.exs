# One push and one retrieve through the BEAM, printed; then an orderly stop. For `./dev run --once`.

# What is printed is what is asked for: of the logs, only what went wrong.
Logger.configure(level: :warning)
Application.put_env(:soulmem, :daemon_args, ["--log-level", "warn"])

{%{loaded: loaded}, _binding} = Code.eval_file("start.exs", __DIR__)
Enum.each(loaded, &IO.puts("» " <> &1))

line = "小红，周六我带外甥女来看你修书，奶奶那个饼干盒里的信，方便给她看看吗？"
question = "阿哲周六要带谁来看修书？奶奶的饼干盒里装着什么？"

kinds = %{
  "semantic" => "概念",
  "specific_situation" => "往事",
  "abstract_situation" => "印象",
  "procedure" => "习惯"
}

show = fn kind, hit, mark ->
  score = :erlang.float_to_binary(hit["score"] * 1.0, decimals: 3)
  day = String.slice(hit["at"] || "", 0, 10)
  text = String.replace(hit["text"], "\n", " ")
  IO.puts("  #{score}  #{kind}  #{String.pad_trailing(day, 10)}  #{text}#{mark}")
end

pushed = SoulMem.push!("xiaohong", %{role: :user, name: "阿哲", text: line, tz: "Asia/Shanghai"})
[id] = pushed["ids"]
memory = SoulMem.retrieve!("xiaohong", question, limit: 6)

IO.puts("\n阿哲对小红说：#{line}")
IO.puts("问：#{question}")
IO.puts("\n小红想起的事（相关度  种类  时间  内容）：")
for note <- memory["notes"], do: show.(Map.get(kinds, note["type"], note["type"]), note, "")

IO.puts("\n小红记得的话：")

for said <- memory["utterances"] do
  show.(said["name"] || said["role"], said, if(said["id"] == id, do: "  ← 刚刚推送进来的", else: ""))
end

if memory["actions"] != [] do
  IO.puts("\n她多半会：")
  for action <- memory["actions"], do: IO.puts("  #{action["text"]}")
end

recalled? = Enum.any?(memory["utterances"], &(&1["id"] == id))
:ok = Application.stop(:soulmem)

cond do
  memory["notes"] == [] -> Mix.raise("no note came to mind")
  not recalled? -> Mix.raise("the pushed line did not come to mind")
  true -> :ok
end
