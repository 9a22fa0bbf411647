# Compiles a library in the current folder into ./ebin without its own mix project, whose dependencies for documentation
# and tests would need Hex: `elixir compile_source.exs NAME VERSION DEPENDENCY…`

[name, version | dependencies] = System.argv()
File.rm_rf!("ebin")
File.mkdir_p!("ebin")
for dependency <- dependencies, do: Code.prepend_path(Path.expand("../#{dependency}/ebin"))

# Some ask for the environment of their project.
Mix.start()
Mix.env(:prod)

elixir = Path.wildcard("lib/**/*.ex")
{:ok, compiled, _warnings} = Kernel.ParallelCompiler.compile_to_path(elixir, "ebin")

erlang =
  for file <- Path.wildcard("src/*.erl") do
    {:ok, module} = :compile.file(to_charlist(file), outdir: 'ebin')
    module
  end

needs = [:kernel, :stdlib, :elixir, :logger, :inets, :crypto, :ssl | Enum.map(dependencies, &String.to_atom/1)]
start = if name == "telemetry", do: [mod: {:telemetry_app, []}], else: []
about = [description: [], vsn: to_charlist(version), modules: compiled ++ erlang, registered: [], applications: needs] ++ start
File.write!("ebin/#{name}.app", :io_lib.format("~p.~n", [{:application, String.to_atom(name), about}]))
