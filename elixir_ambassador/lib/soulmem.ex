defmodule SoulMem do
  @moduledoc """
  The memory of LLM characters: what was said to them goes in, what they remember of it comes back.

      {:ok, %{"ids" => [_id]}} = SoulMem.push("xiaohong", "下周三我要去面试，有点紧张。", name: "阿明")

      {:ok, memory} = SoulMem.retrieve("xiaohong", "我什么时候面试？")
      for said <- memory["utterances"], do: said["text"]

  A character (a *soul*) is named by 1 to 64 of `a-z 0-9 _ -`. The memory itself is in the daemon that this
  application runs; see "Configuration".

  ## Answers

  Every function returns `{:ok, payload}`, where the payload is that of the wire protocol, a map with string
  keys, or `{:error, %SoulMem.Error{}}`. The functions with `!` return the payload or raise the error.
  What is given may have atoms or strings for keys, atoms for names (`role: :user`), and `DateTime`s for times.

  ## Options of every call

    * `:timeout` - milliseconds until the caller no longer waits; the daemon is told, and cancels what is past it.
      At most 604,800,000, a week. 5,000.
    * `:retries` - how often a failure that may pass (`retryable` in `SoulMem.Error`) is tried again within the
      timeout. Every try carries the same idempotency key, so a write is not done twice. 3.
    * `:idempotency_key` - for writes, at most 64 characters. Made if not given. Whoever repeats a write after an
      error gives the same key both times.
    * `:instance` - which tree, where more than one runs in this node. `SoulMem`.
    * `:node` - the node whose daemon to ask, by way of its ambassador. Without it the one that owns the character,
      and for what is not about a character this one.

  ## In a cluster

  Every function works on any node of a cluster, wherever the character lives: on this node if its daemon has it, else
  on the one that does, by way of its ambassador. A node with `role: :relay` has no daemon and needs none. Where the
  owner cannot be reached the error is `:unreachable`; where no owner was ever heard of, `:no_owner`. No call outlasts
  its timeout, whatever the links do.

  ## Configuration

  The application starts the daemon with what stands under `config :soulmem`:

    * `:role` - `:daemon`, or `:relay` for a node that has no daemon of its own.
    * `:daemon_path` - the executable. Else the environment's `SOULMEM_DAEMON`; else the one in the release; else
      `../target/release/soulmem`.
    * `:data_dir` - where the characters live. Else the environment's `SOULMEM_DATA_DIR`; else the daemon's own default.
    * `:daemon_args`, `:daemon_env` - further arguments of `soulmem serve`, and environment as pairs of strings.
    * `:dependents` - children that need the daemon; see `SoulMem.Dependents`.
    * `:outbox_dir` - a folder for pushes with `outbox: true`; `:outbox_limit` and `:outbox_bytes` bound what may wait
      there: past them a push is `:overloaded`. None; 10,000 and 64 MiB.
    * `:nodes` - the other nodes of the cluster, such as `:"soulmem@10.0.0.2"`: they are connected to, and again
      whenever one was lost. `:discovery_backoff`, `[min: ms, max: ms]`, paces that. None; 500 to 5,000.
    * `:topologies` - of libcluster, where it is loaded, as its documentation has them. Gossip must have a `secret`. None.
    * `:relay_limit` - how many requests from elsewhere may be under way at once. 1,000.
    * `:max_reply_bytes` - the largest answer that goes to another node; a larger one is `:too_large`. 8 MiB.
    * `:announce_interval` - how often the daemon is asked whether the command line made or dropped a character, so
      that the other nodes learn of it, in milliseconds. 10,000.
    * `:max_in_flight`, `:max_frame_bytes` - bounds of the connection, where stricter than the daemon's. 256, 16 MiB.
    * `:restart_backoff`, `:reconnect_backoff` - pauses before the daemon is started or connected again,
      `[min: ms, max: ms]`. 100 to 10,000 and 20 to 1,000.
    * `:ready_timeout` - how long the daemon may take to be ready. 30,000.
    * `:drain_timeout` - how long it may take to leave before it is signalled. 6,000.
    * `:stable_after` - how long a daemon must have lived for its next start to be without much pause. 1,000.
    * `:hello_timeout`, `:health_interval` - how long it may take to greet, and how long it may be silent with a
      request unanswered before it is asked whether it is there. 2,000 each.

  """

  alias SoulMem.{Connection, Error, Events, Handover, Options, Outbox, Router}

  @typedoc "A character's name."
  @type soul() :: String.t()

  @typedoc "The answer's payload, as it stands in the wire protocol."
  @type payload() :: %{optional(String.t()) => term()}

  @type result() :: {:ok, payload()} | {:error, Error.t()}

  @typedoc """
  One message of a conversation: `:role` (`:user`, `:assistant` or `:system`) and `:text`, and as far as known
  `:name`, `:at`, `:tz` (IANA), `:session`, `:tag`, `:source`. A bare string is a user's.
  """
  @type message() :: String.t() | %{optional(atom() | String.t()) => term()}

  # What `health`'s state and the events of the memory are called on the wire.
  @events ~w(state window.summarised consolidated forgotten note.changed soul.changed progress lagged)

  # Consolidation talks to a language model.
  @consolidate_timeout 600_000

  # A round over a million notes takes minutes.
  @forget_timeout 600_000

  @doc """
  Gives messages to a character: one, or a list in the order in which they were said.

  It is durable when this returns. `:name`, `:at`, `:tz` and `:session` among the options apply to every message
  that does not say otherwise.

      SoulMem.push("xiaohong", [
        %{role: :user, name: "阿明", text: "周末去爬山吗?"},
        %{role: :assistant, text: "好啊,叫上小李。"}
      ], session: "2026-05-02")

  With `outbox: true` the push is on this node's disk before it is sent, and is sent until its owner has taken it, even
  if that is away for days: exactly once, and in order with the others of the character. The answer is the owner's if it
  comes within the timeout, else `{:ok, %{"queued" => true}}`. How much waits stands in `health/1` under `outbox`. That
  needs `:outbox_dir` in the configuration. Repeated with the same `:idempotency_key` it is the same push for as long as
  it waits, across restarts of the node too, and for a day after its owner took it; another push with that key is a
  `:conflict`. It goes to whichever node has the character when it is sent, so it takes no `:node`.

  A character that does not exist yet is `{:error, %SoulMem.Error{reason: :unknown_soul}}`: see `create_soul/2`.

      iex> {:error, error} = SoulMem.push("xiaohong", "你好")
      iex> error.reason
      :no_owner

  """
  @spec push(soul(), message() | [message()], keyword()) :: result()
  def push(soul, messages, options \\ []) do
    {call_options, rest} = Options.split_call(options)
    {outbox?, common} = rest |> only!([:name, :at, :tz, :session, outbox: false]) |> Map.pop!(:outbox)

    case messages(messages, common) do
      {:ok, messages} when outbox? -> Outbox.push(soul, messages, call_options)
      {:ok, messages} -> Router.call("push", soul, %{messages: messages}, call_options)
      {:error, detail} -> {:error, Error.new(:invalid_argument, op: "push", soul: soul, detail: detail)}
    end
  end

  @doc "Like `push/3`, but returns the payload or raises."
  @spec push!(soul(), message() | [message()], keyword()) :: payload()
  def push!(soul, messages, options \\ []), do: bang!(push(soul, messages, options))

  @doc """
  Asks what comes to a character's mind: by plain text, by a structured sub-query (a map), or by a list of those.

  Options other than those of every call are the operation's own: `:limit`, `:seed_k`, `:floor`, `:utterances`,
  `:now`, `:weights`, `:walk`, `:action_top_k`, `:as_of`, `:time`, `:include_archived`, `:max_tokens`,
  `:context`, `:explain`, `:wait_revision`, `:verbatim`, `:record`, `:seed`; the daemon refuses any that it does
  not know. `:text` gives plain text beside structured sub-queries.

      SoulMem.retrieve("xiaohong", "上次爬山是和谁去的?", limit: 5, timeout: 2_000)

  The payload has `notes` and `utterances` (best first, each with `score`, `text` and `at`), `actions`, the
  `short_history` of the conversation's window and its `summary`.
  """
  @spec retrieve(soul(), String.t() | map() | [map()], keyword()) :: result()
  def retrieve(soul, query, options \\ []) do
    {call_options, rest} = Options.split_call(options)
    {beside, options} = Keyword.pop(rest, :text)

    case query(query, beside) do
      {:ok, payload} -> Router.call("retrieve", soul, Map.put(payload, :options, Map.new(options)), call_options)
      {:error, detail} -> {:error, Error.new(:invalid_argument, op: "retrieve", soul: soul, detail: detail)}
    end
  end

  @doc "Like `retrieve/3`, but returns the payload or raises."
  @spec retrieve!(soul(), String.t() | map() | [map()], keyword()) :: payload()
  def retrieve!(soul, query, options \\ []), do: bang!(retrieve(soul, query, options))

  @doc """
  Has a character make lasting memory of what it was told since the last time.

  With `wait: true` it returns when that is done, with the report, and its timeout is 600,000 unless given;
  otherwise at once, with the `job`. Asked for twice at once it is one job. When it ends, subscribers are told
  `consolidated` with the `job` and the `report`.
  """
  @spec consolidate(soul(), keyword()) :: result()
  def consolidate(soul, options \\ []) do
    {wait, options} = Options.pop(options, :wait, false)
    options = if wait, do: Keyword.put_new(options, :timeout, @consolidate_timeout), else: options
    Router.call("consolidate", soul, %{wait: wait}, options)
  end

  @doc """
  Has the calling process told what happens to a character, until it ends or calls `unsubscribe/2`.

  It works wherever the character lives. Each event is a message

      {:soulmem, %{event: "note.changed", soul: "xiaohong", payload: %{"ids" => ["0198…"]}}}

  with `:events` choosing among `state`, `window.summarised`, `consolidated`, `forgotten`, `note.changed`,
  `soul.changed`, `progress` and `lagged`; all of them by default. Whatever is chosen, `owner_lost` tells that the
  daemon went away or its node cannot be reached, `owner_back` that it is back and that events in between were missed,
  and `lagged` how many were dropped: here, where the process has 1,000 messages unread, on a congested link, or in the
  daemon.
  """
  @spec subscribe(soul(), keyword()) :: :ok | {:error, Error.t()}
  def subscribe(soul, options \\ []) do
    {call_options, rest} = Options.split_call(options)
    events = rest |> Keyword.validate!(events: @events) |> Keyword.fetch!(:events)
    Events.subscribe(soul, Enum.map(events, &to_string/1), call_options)
  end

  @doc "Ends the calling process's subscription to a character. Events already on their way may still come."
  @spec unsubscribe(soul(), keyword()) :: :ok | {:error, Error.t()}
  def unsubscribe(soul, options \\ []), do: Events.unsubscribe(soul, options)

  @doc """
  The condition of everything that can fail: each character with its state and sizes, the embedding model, the
  language model's endpoint, the data directory and the room on its disk.

  Of this node (or the one that `:node` names); with a character's name, of the node that owns it. `cluster` is what
  that node knows of the others: `nodes`, the `owners` of each character, and which are `unreachable` at the moment.
  """
  @spec health(soul() | keyword(), keyword()) :: result()
  def health(soul_or_options \\ [], options \\ [])
  def health(soul, options) when is_binary(soul), do: Router.call("health", soul, %{}, options)
  def health(options, []), do: Router.call("health", nil, %{}, options)

  @doc "Like `health/2`, but returns the payload or raises."
  @spec health!(soul() | keyword(), keyword()) :: payload()
  def health!(soul_or_options \\ [], options \\ []), do: bang!(health(soul_or_options, options))

  @doc """
  Makes a character. `:display_name` is its name to people, `:locale` its language (`"zh-CN"`), `:config` what
  differs for it from the daemon's configuration. One that exists is `:conflict`.
  """
  @spec create_soul(soul(), keyword()) :: result()
  def create_soul(soul, options \\ []) do
    {call_options, rest} = Options.split_call(options)
    Router.call("soul.create", soul, only!(rest, [:display_name, :locale, :config]), call_options)
  end

  @doc "Like `create_soul/2`, but returns the payload or raises."
  @spec create_soul!(soul(), keyword()) :: payload()
  def create_soul!(soul, options \\ []), do: bang!(create_soul(soul, options))

  @doc """
  Puts a character into the trash, from where its files are removed after 30 days. Its name is free at once.

  The name is given once more as `:confirm`, so that a slip drops none. The payload says in which `folder` it is, and
  until when at least (`kept_until`).
  """
  @spec drop_soul(soul(), keyword()) :: result()
  def drop_soul(soul, options \\ []) do
    {call_options, rest} = Options.split_call(options)
    Router.call("soul.drop", soul, only!(rest, [:confirm]), call_options)
  end

  @doc "Like `drop_soul/2`, but returns the payload or raises."
  @spec drop_soul!(soul(), keyword()) :: payload()
  def drop_soul!(soul, options \\ []), do: bang!(drop_soul(soul, options))

  @doc """
  Removes `:notes` and `:messages` by their ids (with the notes that rest on nothing else), or with `soul: true` and
  `:confirm` a whole character, so that no file holds them any more. `:backups` names folders of backups beside the
  configured one. The payload says what went from where, and as `backups` those that still hold it.
  """
  @spec erase(soul(), keyword()) :: result()
  def erase(soul, options) do
    {call_options, rest} = Options.split_call(options)
    Router.call("erase", soul, only!(rest, [:notes, :messages, :soul, :confirm, :backups]), call_options)
  end

  @doc "Like `erase/2`, but returns the payload or raises."
  @spec erase!(soul(), keyword()) :: payload()
  def erase!(soul, options), do: bang!(erase(soul, options))

  @doc "Every character of the daemon: `souls`, each with its `soul`, `display_name` and `locale`."
  @spec list_souls(keyword()) :: result()
  def list_souls(options \\ []), do: Router.call("soul.list", nil, %{}, options)

  @doc "Like `list_souls/1`, but returns the payload or raises."
  @spec list_souls!(keyword()) :: payload()
  def list_souls!(options \\ []), do: bang!(list_souls(options))

  @doc "Creates notes, or replaces those that carry `if_revision`: all of them or none."
  @spec put_notes(soul(), [map()], keyword()) :: result()
  def put_notes(soul, notes, options \\ []), do: Router.call("note.put", soul, %{notes: notes}, options)

  @doc "Like `put_notes/3`, but returns the payload or raises."
  @spec put_notes!(soul(), [map()], keyword()) :: payload()
  def put_notes!(soul, notes, options \\ []), do: bang!(put_notes(soul, notes, options))

  @doc """
  Corrects a note by another: `:new` is the id of one that is there, `:note` one that is made in the same step. The old
  one is kept as what was believed until `:at` (now, unless given).

      SoulMem.supersede("xiaohong", wrong["id"], note: %{mem_type: %{Semantic: %{content: "..."}}})

  """
  @spec supersede(soul(), String.t(), keyword()) :: result()
  def supersede(soul, old, options) do
    {call_options, rest} = Options.split_call(options)
    payload = rest |> only!([:new, :note, :at]) |> Map.put(:old, old)
    Router.call("note.supersede", soul, payload, call_options)
  end

  @doc "Like `supersede/3`, but returns the payload or raises."
  @spec supersede!(soul(), String.t(), keyword()) :: payload()
  def supersede!(soul, old, options), do: bang!(supersede(soul, old, options))

  @doc """
  The notes with these ids, each with its revision and outgoing links, as they were written; and, as `remembered` and in the
  same order, as the character remembers them.
  """
  @spec get_notes(soul(), [String.t()], keyword()) :: result()
  def get_notes(soul, ids, options \\ []), do: Router.call("note.get", soul, %{ids: ids}, options)

  @doc "Like `get_notes/3`, but returns the payload or raises."
  @spec get_notes!(soul(), [String.t()], keyword()) :: payload()
  def get_notes!(soul, ids, options \\ []), do: bang!(get_notes(soul, ids, options))

  @doc "Creates or replaces links between notes: all of them or none."
  @spec put_links(soul(), [map()], keyword()) :: result()
  def put_links(soul, links, options \\ []), do: Router.call("link.put", soul, %{links: links}, options)

  @doc "Like `put_links/3`, but returns the payload or raises."
  @spec put_links!(soul(), [map()], keyword()) :: payload()
  def put_links!(soul, links, options \\ []), do: bang!(put_links(soul, links, options))

  @doc "Takes links away. The payload has the `ids` of those that were there."
  @spec delete_links(soul(), [String.t()], keyword()) :: result()
  def delete_links(soul, ids, options \\ []), do: Router.call("link.delete", soul, %{ids: ids}, options)

  @doc "Like `delete_links/3`, but returns the payload or raises."
  @spec delete_links!(soul(), [String.t()], keyword()) :: payload()
  def delete_links!(soul, ids, options \\ []), do: bang!(delete_links(soul, ids, options))

  @doc "Hides notes with the links from and to them. The payload has the `ids` of those that were there."
  @spec delete_notes(soul(), [String.t()], keyword()) :: result()
  def delete_notes(soul, ids, options \\ []), do: Router.call("note.delete", soul, %{ids: ids}, options)

  @doc "Like `delete_notes/3`, but returns the payload or raises."
  @spec delete_notes!(soul(), [String.t()], keyword()) :: payload()
  def delete_notes!(soul, ids, options \\ []), do: bang!(delete_notes(soul, ids, options))

  @doc """
  Says of notes that `retrieve/3` came up with whether that was right (`1`) or not (`-1`).

  The links that led to them get stronger or weaker by a tenth of what is left to their bound. The payload has those
  `links`, each with its `intensity` now, and as `unmoved` the ids of the notes to which none led.

      %{"notes" => [best | _]} = SoulMem.retrieve!("xiaohong", "上次爬山是和谁去的?")
      SoulMem.feedback("xiaohong", [best["id"]], 1)

  """
  @spec feedback(soul(), [String.t()], 1 | -1, keyword()) :: result()
  def feedback(soul, ids, value, options \\ []) when value in [1, -1],
    do: Router.call("feedback", soul, %{ids: ids, value: value}, options)

  @doc "Like `feedback/4`, but returns the payload or raises."
  @spec feedback!(soul(), [String.t()], 1 | -1, keyword()) :: payload()
  def feedback!(soul, ids, value, options \\ []), do: bang!(feedback(soul, ids, value, options))

  @doc """
  Lets time do its work on a character's memory, as it does by itself once a day when nobody talks to it.

  `:now` is the time that it is done at (the daemon's clock). With `dry_run: true` nothing is written, and the payload has
  up to `:limit` `notes` that are no longer told as they were, each with its `degree`, `action` and `text`. With
  `restore: ids` notes are taken back instead: into recall, as they were worded, and fresh. The `report` counts what was
  done. Its timeout is 600,000 unless given.

      SoulMem.forget("xiaohong", dry_run: true)

  """
  @spec forget(soul(), keyword()) :: result()
  def forget(soul, options \\ []) do
    {call_options, rest} = Options.split_call(options)
    call_options = Keyword.put_new(call_options, :timeout, @forget_timeout)
    Router.call("forget", soul, only!(rest, [:now, :dry_run, :limit, :restore]), call_options)
  end

  @doc "Like `forget/2`, but returns the payload or raises."
  @spec forget!(soul(), keyword()) :: payload()
  def forget!(soul, options \\ []), do: bang!(forget(soul, options))

  @doc """
  A page of what was said, oldest first. `:from` (inclusive), `:to` (exclusive) and `:session` choose, `:limit`
  bounds, and `:cursor` is that of the page before.
  """
  @spec list_messages(soul(), keyword()) :: result()
  def list_messages(soul, options \\ []) do
    {call_options, rest} = Options.split_call(options)

    Router.call(
      "message.list",
      soul,
      only!(rest, [:from, :to, :session, :cursor, :limit]),
      call_options
    )
  end

  @doc "Like `list_messages/2`, but returns the payload or raises."
  @spec list_messages!(soul(), keyword()) :: payload()
  def list_messages!(soul, options \\ []), do: bang!(list_messages(soul, options))

  @doc "Counts of what a character has, by type and state, and the sizes of its indexes."
  @spec stats(soul(), keyword()) :: result()
  def stats(soul, options \\ []), do: Router.call("stats", soul, %{}, options)

  @doc "Like `stats/2`, but returns the payload or raises."
  @spec stats!(soul(), keyword()) :: payload()
  def stats!(soul, options \\ []), do: bang!(stats(soul, options))

  @doc """
  Moves a character to this machine, from the one that owns it (or from the node `:from`, where nobody does).

  The old copy is read-only from the beginning of the move, and stays there as such; nobody can write meanwhile. The
  payload has what came: `notes`, `links` and `messages`. A move that fails is taken back, and may be tried again.

      # On the desktop, what the laptop had:
      SoulMem.adopt("xiaohong")

  """
  @spec adopt(soul(), keyword()) :: result()
  def adopt(soul, options \\ []), do: Handover.adopt(soul, options)

  @doc """
  Says which of several machines that claim a character owns it, where a copied disk or a restored backup made two.

  `health/1` names them, with where their journals stood. The other copies become read-only; `merge/3` takes in what only
  they have. All of them must be reachable, or the choice would not hold.
  """
  @spec choose(soul(), node(), keyword()) :: result()
  def choose(soul, node, options \\ []), do: Handover.choose(soul, node, options)

  @doc """
  Takes into a character what only the copy on another node has: notes and messages by id, the links and words with
  them. What both have stays as the owner has it. The payload has how much was new, and as `known` how much was not.
  """
  @spec merge(soul(), node(), keyword()) :: result()
  def merge(soul, from, options \\ []), do: Handover.merge(soul, from, options)

  @doc """
  Any operation of the protocol by its name on the wire, for those without a function here.

      SoulMem.call("checkpoint", "xiaohong", %{})

  """
  @spec call(String.t(), soul() | nil, map(), keyword()) :: result()
  def call(op, soul, payload, options \\ []), do: Router.call(op, soul, payload, options)

  @doc """
  Returns once this node's daemon answers; for use right after the start. `:timeout` is 30,000 here.

      iex> {:error, error} = SoulMem.await_ready()
      iex> Exception.message(error)
      "no daemon known to this node holds the character"

  """
  @spec await_ready(keyword()) :: :ok | {:error, Error.t()}
  def await_ready(options \\ []) do
    options = Keyword.validate!(options, instance: SoulMem, timeout: 30_000)

    case Router.connection(options[:instance]) do
      {:ok, connection} -> Connection.await(connection, options[:timeout])
      {:error, reason} -> {:error, Error.new(reason)}
    end
  end

  defp only!(options, keys), do: options |> Keyword.validate!(keys) |> Map.new()

  # What applies to every message gives way to what a message says itself, be its keys atoms or text.
  defp messages(messages, common) do
    messages = if is_list(messages), do: messages, else: [messages]

    case Enum.reject(messages, &message?/1) do
      [] -> {:ok, Enum.map(messages, &message(&1, common))}
      [other | _] -> {:error, "a message is a text or a map, not #{inspect(other, limit: 5, printable_limit: 40)}"}
    end
  end

  defp message?(message), do: is_binary(message) or (is_map(message) and not is_struct(message))

  defp message(text, common) when is_binary(text), do: message(%{role: :user, text: text}, common)

  defp message(message, common) do
    own = for {key, _value} <- common, is_map_key(message, Atom.to_string(key)), do: key
    common |> Map.drop(own) |> Map.merge(message)
  end

  defp query(text, nil) when is_binary(text), do: {:ok, %{text: text}}

  defp query(text, _beside) when is_binary(text),
    do: {:error, "text is given twice, as the query and as the option :text"}

  defp query(queries, text) do
    queries = if is_list(queries), do: queries, else: [queries]

    case Enum.reject(queries, &(is_map(&1) and not is_struct(&1))) do
      [] -> {:ok, %{queries: queries, text: text}}
      [other | _] -> {:error, "a query is a text or a map, not #{inspect(other, limit: 5, printable_limit: 40)}"}
    end
  end

  defp bang!({:ok, payload}), do: payload
  defp bang!({:error, error}), do: raise(error)
end
