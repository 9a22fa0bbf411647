defmodule SoulMem.Supervisor do
  @moduledoc false
  # The tree of one node. The order is that of dependence: when a child falls, those after it are started anew
  # (`rest_for_one`), and all stop in the reverse order.
  #
  #   Roster       who depends on us; first, because it must outlive everything else
  #   Daemon       the operating system's process
  #   Connection   the way to it
  #   Scope        the private `:pg` scope: who serves which character
  #   Membership   notices how that changes
  #   Relay        one task for each request from elsewhere, capped
  #   Ambassador   takes those requests
  #   Senders      one task for each character whose pushes are being sent
  #   Outbox       pushes that wait for their owner, where it is configured
  #   Announcer    tells the others what lives here
  #   Ownership    notices that a character has two owners
  #   Events       spreads what the owners of characters tell
  #   Discovery    connects to the other nodes
  #   Dependents   what embedding applications put behind us
  #   Notify       tells systemd, where it started this node
  #
  # A node with `role: :relay` has nothing that needs a daemon.

  use Supervisor

  alias SoulMem.{
    Ambassador,
    Announcer,
    Connection,
    Daemon,
    Dependents,
    Discovery,
    Events,
    Instance,
    Membership,
    Notify,
    Options,
    Outbox,
    Ownership,
    Roster
  }

  @connection_options [
    :reconnect_backoff,
    :hello_timeout,
    :health_interval,
    :max_in_flight,
    :max_frame_bytes
  ]

  @daemon_options [
    :daemon_path,
    :data_dir,
    :daemon_args,
    :daemon_env,
    :ready_timeout,
    :drain_timeout,
    :stable_after,
    :restart_backoff
  ]

  @spec start_link(keyword()) :: Supervisor.on_start()
  def start_link(options) do
    options = Options.start!(options)
    Supervisor.start_link(__MODULE__, options, name: Instance.process(options[:name], __MODULE__))
  end

  @impl true
  def init(options) do
    :ok = Instance.remember(options[:name], options[:role])
    children = children(options[:role], options) ++ Notify.children(options[:name], System.get_env())
    Supervisor.init(children, strategy: :rest_for_one)
  end

  defp children(:relay, options),
    do:
      cluster(options) ++
        [events(options), {Discovery, Keyword.take(options, [:name, :nodes, :discovery_backoff, :topologies])}]

  defp children(:daemon, options) do
    daemon(options) ++
      cluster(options) ++
      [
        {Announcer, instance: options[:name], announce_interval: options[:announce_interval]},
        {Ownership, instance: options[:name], patience: options[:announce_interval]},
        events(options),
        {Discovery, Keyword.take(options, [:name, :nodes, :discovery_backoff, :topologies])},
        {Dependents, instance: options[:name]}
      ]
  end

  defp daemon(options) do
    [
      {Roster, name: name(options, Roster), dependents: options[:dependents]},
      {Daemon, [name: name(options, Daemon)] ++ Keyword.take(options, @daemon_options)},
      {Connection,
       [name: name(options, Connection), daemon: name(options, Daemon)] ++
         Keyword.take(options, @connection_options)}
    ]
  end

  defp cluster(options) do
    instance = options[:name]

    [
      %{id: :pg, start: {:pg, :start_link, [Membership.scope(instance)]}},
      {Membership, instance: instance},
      {Task.Supervisor, name: name(options, SoulMem.Relay), max_children: options[:relay_limit]},
      {Ambassador, instance: instance, reply_limit: options[:max_reply_bytes]},
      {Task.Supervisor, name: name(options, SoulMem.Senders)}
    ] ++ Outbox.children(options)
  end

  defp events(options), do: {Events, instance: options[:name], role: options[:role]}

  defp name(options, part), do: Instance.process(options[:name], part)
end
