# A node that stays up, with the sample characters loaded. For `./dev run`.

{%{loaded: loaded, data_dir: data_dir}, _binding} = Code.eval_file("start.exs", __DIR__)
daemon = SoulMem.Dev.Samples.daemon_path()

IO.puts("""

SoulMem is running. Its data is in #{data_dir}.
#{Enum.map_join(loaded, "\n", &("  " <> &1))}

Talk to it from another terminal:

  #{daemon} --data-dir #{data_dir} retrieve --soul xiaohong 奶奶的饼干盒里装着什么
  #{daemon} --data-dir #{data_dir} push --soul xiaohong 周末去江心洲看鸟吗
  #{daemon} --data-dir #{data_dir} status
""")

if Node.alive?() do
  IO.puts("""
  or from Elixir, on this machine or another of the cluster:

    iex --sname me --remsh #{node()}
    SoulMem.retrieve("xiaohong", "奶奶的饼干盒里装着什么")
  """)
else
  IO.puts("For Elixir, start it with a name: ELIXIR_ERL_OPTIONS=\"-sname soulmem\" ./dev run")
end

IO.puts("Ctrl-C stops it.")
Process.sleep(:infinity)
