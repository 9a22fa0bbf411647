defmodule SoulMem.Handover do
  @moduledoc false
  # Moving a character to this machine, choosing one of several copies, and taking into one what only another has.
  #
  # At every moment at most one copy is written to. The new copy is made first, as one that arrives: its daemon writes to it
  # only with what is imported, and it knows where it comes from. Then the old copy becomes one that is only read; when
  # the new one is whole it becomes the owner. A move that is interrupted, by whatever it may be, leaves a copy that arrives
  # with nobody who moves it: its node tells the source that it is the owner again, and drops it. So there is an owner at
  # the end, as soon as the two machines see each other.

  alias SoulMem.{Ambassador, Error, Instance, JSON, Membership, Options, Ownership, Request, Router}

  # Less than what makes a link busy (`+zdbbl`), so that a move holds up no other call.
  @piece 262_144
  @step_timeout 120_000

  @type result() :: {:ok, map()} | {:error, Error.t()}

  @spec adopt(String.t(), keyword()) :: result()
  def adopt(soul, options) do
    {from, options} = Options.pop(options, :from, nil)
    instance = Options.call!(options)[:instance]

    with {:ok, _connection} <- here(instance, soul),
         :ok <- Ownership.moving(instance, soul) do
      result = adopt_from(from, soul, instance)
      Ownership.moved(instance, soul)
      result
    end
  end

  @spec choose(String.t(), node(), keyword()) :: result()
  def choose(soul, node, options) do
    instance = Options.call!(options)[:instance]

    with {:ok, %{"ownership" => ownership}} <- Ownership.of(node, soul, instance),
         others = others(ownership, node) ++ (Membership.owners(instance, soul) -- [node]),
         :ok <- hand_over(Enum.uniq(others), soul, node, instance) do
      Ownership.set(node, soul, %{state: "owner"}, instance)
    end
  end

  @spec merge(String.t(), node(), keyword()) :: result()
  def merge(soul, from, options) do
    instance = Options.call!(options)[:instance]

    with {:ok, owner} <- owner(soul, instance),
         {:ok, %{"marks" => marks}} <- Ownership.of(from, soul, instance),
         {:ok, report} <- ship(soul, from, owner, instance),
         {:ok, _copy} <- call(owner, "soul.owner", soul, %{marks: marks}, instance) do
      {:ok, report}
    end
  end

  @doc "Ends a move to this machine that was interrupted: its source is the owner again, or the copy here already is."
  @spec take_back(String.t(), Instance.t()) :: :ok | {:owner, node()} | {:error, Error.t()}
  def take_back(soul, instance) do
    case Ownership.of(node(), soul, instance) do
      {:ok, %{"ownership" => %{"state" => "arriving", "node" => source}}} when is_binary(source) ->
        give_back(String.to_atom(source), soul, instance)

      {:ok, %{"ownership" => %{"state" => "owner"}} = copy} ->
        Ownership.concluded(soul, copy, instance)
        {:owner, node()}

      {:ok, _copy} ->
        :ok

      {:error, %Error{reason: :unknown_soul}} ->
        :ok

      {:error, error} ->
        {:error, error}
    end
  end

  # The source first: were it the other way round, a crash between the two would leave nobody who knows that it is owed.
  defp give_back(source, soul, instance) do
    here = Atom.to_string(node())

    with {:ok, %{"ownership" => ownership}} <- Ownership.of(source, soul, instance),
         {:ok, _copy} <- own_again(ownership, here, source, soul, instance),
         :ok <- drop(soul, instance) do
      {:owner, source}
    end
  end

  defp own_again(%{"state" => "handed_over", "node" => here}, here, source, soul, instance),
    do: Ownership.set(source, soul, %{state: "owner"}, instance)

  # What told it to give it up may still be on its way there: this comes after it.
  defp own_again(%{"state" => "owner"}, _here, source, soul, instance),
    do: Ownership.set(source, soul, %{state: "owner"}, instance)

  # It gave it to another since.
  defp own_again(ownership, _here, _source, _soul, _instance), do: {:ok, ownership}

  ## Moving

  defp adopt_from(from, soul, instance) do
    with {:ok, source} <- source_now(take_back(soul, instance), from, soul, instance) do
      if source == node(), do: Ownership.of(source, soul, instance), else: move(soul, source, instance)
    end
  end

  # A source that has just become the owner again was not announced to this node yet.
  defp source_now({:error, error}, _from, _soul, _instance), do: {:error, error}
  defp source_now({:owner, owner}, nil, _soul, _instance), do: {:ok, owner}
  defp source_now(_settled, from, soul, instance), do: source(soul, from, instance)

  defp move(soul, source, instance) do
    with :ok <- make_way(soul, instance),
         {:ok, first} <- export(soul, source, nil, instance),
         {:ok, _soul} <- create(soul, about(first), source, instance) do
      case arrive(soul, source, instance) do
        {:ok, report} -> {:ok, report}
        {:error, error} -> failed_move(take_back(soul, instance), soul, source, error, instance)
      end
    end
  end

  # An old copy that this machine once handed over goes into the trash.
  defp make_way(soul, instance) do
    case Ownership.of(node(), soul, instance) do
      {:error, %Error{reason: :unknown_soul}} ->
        :ok

      {:ok, %{"ownership" => %{"state" => "handed_over"}}} ->
        drop(soul, instance)

      {:ok, _copy} ->
        {:error, failed(:conflict, soul, "this machine has a copy of its own: choose one of the two first")}

      {:error, error} ->
        {:error, error}
    end
  end

  defp drop(soul, instance) do
    with {:ok, _payload} <- call(node(), "soul.drop", soul, %{confirm: soul}, instance), do: :ok
  end

  defp arrive(soul, source, instance) do
    with {:ok, %{"marks" => marks}} <-
           Ownership.set(source, soul, %{state: "handed_over", node: Atom.to_string(node())}, instance),
         {:ok, report} <- ship(soul, source, node(), instance),
         {:ok, _copy} <- call(node(), "soul.owner", soul, %{marks: marks, set: %{state: "owner"}}, instance) do
      {:ok, report}
    end
  end

  # Not announced: it is nobody's yet.
  defp create(soul, about, source, instance) do
    options = Options.call!(instance: instance, timeout: @step_timeout)
    arriving = %{state: "arriving", node: Atom.to_string(source)}

    with {:ok, request} <- Request.new("soul.create", soul, Map.put(about, "ownership", arriving), options),
         do: Router.unannounced(request, instance)
  end

  # It did arrive: only the answer to the last step was lost.
  defp failed_move({:owner, here}, soul, _source, _error, instance) when here == node(),
    do: Ownership.of(here, soul, instance)

  defp failed_move({:error, _cannot_be_told}, _soul, source, error, _instance) do
    detail = "#{error.detail}; the character is read-only until #{source} can be told that it is the owner again"
    {:error, %{error | detail: detail}}
  end

  defp failed_move(_taken_back, _soul, _source, error, _instance), do: {:error, error}

  # The first line of an archive says what the character is called and how it is set.
  defp about(%{"bytes" => {:bin, bytes}}) do
    [line | _] = String.split(bytes, "\n", parts: 2)

    case JSON.decode(line) do
      {:ok, %{"archive" => head}} -> Map.take(head, ["display_name", "locale", "config"])
      _other -> %{}
    end
  end

  ## Shipping: pieces of an archive from one daemon into another. Nothing is applied before the last has come.

  defp ship(soul, source, target, instance) do
    upload = Base.encode16(:crypto.strong_rand_bytes(16), case: :lower)
    ship(%{soul: soul, source: source, target: target, upload: upload, instance: instance}, nil, 0)
  end

  defp ship(ship, cursor, offset) do
    with {:ok, %{"bytes" => {:bin, bytes}, "done" => done} = piece} <-
           export(ship.soul, ship.source, cursor, ship.instance),
         {:ok, answer} <- import_all(ship, bytes, offset, done) do
      if done, do: {:ok, answer["report"]}, else: ship(ship, piece["cursor"], offset + byte_size(bytes))
    end
  end

  defp import_all(ship, bytes, offset, done) when byte_size(bytes) > @piece do
    <<piece::binary-size(@piece), rest::binary>> = bytes
    with {:ok, _answer} <- import_piece(ship, piece, offset, false), do: import_all(ship, rest, offset + @piece, done)
  end

  defp import_all(ship, bytes, offset, done), do: import_piece(ship, bytes, offset, done)

  defp import_piece(ship, bytes, offset, done) do
    payload = %{
      upload: ship.upload,
      offset: offset,
      bytes: {:bin, bytes},
      done: done,
      format: "archive",
      file: "#{ship.soul} of #{ship.source}"
    }

    call(ship.target, "import", ship.soul, payload, ship.instance)
  end

  defp export(soul, source, cursor, instance) do
    call(source, "export", soul, %{format: "archive", cursor: cursor, answers: true}, instance)
  end

  ## Who

  defp here(instance, soul) do
    with {:error, reason} <- Router.connection(instance) do
      {:error, failed(reason, soul, "a character can only move to a machine that has a daemon")}
    end
  end

  defp source(_soul, from, _instance) when is_atom(from) and not is_nil(from), do: {:ok, from}

  defp source(soul, nil, instance), do: owner(soul, instance)

  defp owner(soul, instance) do
    case {Membership.owners(instance, soul), Membership.lost_owner(instance, soul)} do
      {[owner], _lost} ->
        {:ok, owner}

      {[], {:ok, lost}} ->
        {:error, failed(:unreachable, soul, "#{lost} has it, or had it last")}

      {[], :error} ->
        {:error, failed(:no_owner, soul, "say where it is with `from:`")}

      {several, _lost} ->
        {:error, failed(:read_only, soul, "choose one of #{Enum.map_join(several, ", ", &to_string/1)} first")}
    end
  end

  defp others(%{"claims" => claims}, node) do
    for %{"node" => name} <- claims, name != Atom.to_string(node), do: String.to_atom(name)
  end

  defp others(_ownership, _node), do: []

  # One that cannot be told would claim the character again when it is back.
  defp hand_over(others, soul, node, instance) do
    Enum.reduce_while(others, :ok, fn other, :ok ->
      case Ownership.set(other, soul, %{state: "handed_over", node: Atom.to_string(node)}, instance) do
        {:ok, _copy} -> {:cont, :ok}
        {:error, %Error{reason: :unknown_soul}} -> {:cont, :ok}
        {:error, error} -> {:halt, {:error, error}}
      end
    end)
  end

  defp call(node, op, soul, payload, instance) do
    options = Options.call!(instance: instance, timeout: @step_timeout)

    with {:ok, request} <- Request.new(op, soul, payload, options) do
      if node == node(), do: Router.local(request, instance), else: Ambassador.call(node, instance, request)
    end
  end

  defp failed(reason, soul, detail), do: Error.new(reason, op: "adopt", soul: soul, detail: detail)
end
