defmodule SoulMem.Handover do
  @moduledoc false
  # Moving a character to this machine, choosing one of several copies, and taking into one what only another has.
  #
  # At every moment at most one copy is written to. A move first makes the old copy one that is only read; then the new one
  # arrives, which its daemon writes to only with what is imported; when it is whole it becomes the owner. Whatever is
  # interrupted is visible in `health`, and is gone through again from the beginning.

  alias SoulMem.{Ambassador, Error, JSON, Membership, Options, Ownership, Request, Router}

  # Less than what makes a link busy (`+zdbbl`), so that a move holds up no other call.
  @piece 262_144
  @step_timeout 120_000

  @type result() :: {:ok, map()} | {:error, Error.t()}

  @spec adopt(String.t(), keyword()) :: result()
  def adopt(soul, options) do
    {from, options} = Options.pop(options, :from, nil)
    instance = Options.call!(options)[:instance]

    with {:ok, _connection} <- here(instance, soul),
         {:ok, source} <- source(soul, from, instance) do
      if source == node(), do: Ownership.of(source, soul, instance), else: move(soul, source, instance)
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

  ## Moving

  defp move(soul, source, instance) do
    with :ok <- make_way(soul, instance),
         {:ok, %{"marks" => marks}} <-
           Ownership.set(source, soul, %{state: "handed_over", node: Atom.to_string(node())}, instance) do
      case arrive(soul, source, marks, instance) do
        {:ok, report} -> {:ok, report}
        {:error, error} -> back(soul, source, error, instance)
      end
    end
  end

  # An old copy that this machine once handed over, or one whose move was interrupted, goes into the trash.
  defp make_way(soul, instance) do
    case Ownership.of(node(), soul, instance) do
      {:error, %Error{reason: :unknown_soul}} ->
        :ok

      {:ok, %{"ownership" => %{"state" => state}}} when state in ["handed_over", "arriving"] ->
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

  defp arrive(soul, source, marks, instance) do
    with {:ok, first} <- export(soul, source, nil, instance),
         {:ok, _soul} <- create(soul, about(first), instance),
         {:ok, _copy} <- Ownership.set(node(), soul, %{state: "arriving"}, instance),
         {:ok, report} <- ship(soul, source, node(), instance),
         {:ok, _copy} <- call(node(), "soul.owner", soul, %{marks: marks, set: %{state: "owner"}}, instance) do
      {:ok, report}
    end
  end

  # Not announced: it is nobody's yet.
  defp create(soul, about, instance) do
    options = Options.call!(instance: instance, timeout: @step_timeout)
    with {:ok, request} <- Request.new("soul.create", soul, about, options), do: Router.unannounced(request, instance)
  end

  # The move failed, and the source has lost nothing: it is the owner again.
  defp back(soul, source, error, instance) do
    with {:ok, %{"ownership" => %{"state" => "arriving"}}} <- Ownership.of(node(), soul, instance),
         do: drop(soul, instance)

    case Ownership.set(source, soul, %{state: "owner"}, instance) do
      {:ok, _copy} ->
        {:error, error}

      {:error, _unreachable} ->
        detail =
          "#{error.detail}; #{source} keeps the character read-only: SoulMem.choose(#{inspect(soul)}, #{inspect(source)})"

        {:error, %{error | detail: detail}}
    end
  end

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
    call(source, "export", soul, %{format: "archive", cursor: cursor}, instance)
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
