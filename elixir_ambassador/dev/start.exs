# What both scripts begin with: the samples at hand, the data directory known, the node started and the daemon up.

Code.require_file("samples.exs", __DIR__)

fixtures = System.get_env("SOULMEM_FIXTURES") || Path.expand("../../fixtures", __DIR__)
data_dir = System.get_env("SOULMEM_DATA_DIR") || Path.expand("../../.soulmem", __DIR__)
System.put_env("SOULMEM_DATA_DIR", data_dir)

{:ok, _started} = Application.ensure_all_started(:soulmem)
:ok = SoulMem.await_ready()

%{fixtures: fixtures, data_dir: data_dir, loaded: SoulMem.Dev.Samples.load!(fixtures, data_dir)}
