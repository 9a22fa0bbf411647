defmodule SoulMem.Outbox.Disk do
  @moduledoc false
  # The files of an outbox, one a push: `<character>/<number>.push`, in the order of the numbers. A file is whole or not
  # there: it is written under another name, synced, then renamed. What an owner refused for good is moved to `refused/`,
  # for a human to look at.

  alias SoulMem.MessagePack

  @enforce_keys [:number, :soul, :key, :origin, :seq, :messages]
  defstruct [:number, :soul, :key, :origin, :seq, :messages, bytes: 0]

  @typedoc """
  `messages` is packed; `number` orders what waits here; `key` is the caller's; `origin` and `seq` tell it from all else
  for ever.
  """
  @type entry() :: %__MODULE__{
          number: pos_integer(),
          soul: String.t(),
          key: String.t(),
          origin: String.t(),
          seq: pos_integer(),
          messages: binary(),
          bytes: non_neg_integer()
        }

  @refused "refused"

  @doc "What waits, in order. A file that cannot be read is put with the refused."
  @spec load(Path.t()) :: {:ok, [entry()]} | {:error, File.posix()}
  def load(dir) do
    with :ok <- File.mkdir_p(dir), :ok <- File.chmod(dir, 0o700) do
      Enum.each(Path.wildcard(Path.join(dir, "*/*.new")), &File.rm/1)
      files = Path.wildcard(Path.join(dir, "*/*.push")) |> Enum.reject(&(Path.basename(Path.dirname(&1)) == @refused))
      {:ok, files |> Enum.flat_map(&read(dir, &1)) |> Enum.sort_by(& &1.number)}
    end
  end

  @doc "Writes one; it is on the disk when this returns."
  @spec put(Path.t(), entry()) :: {:ok, entry()} | {:error, File.posix()}
  def put(dir, entry) do
    path = path(dir, entry)

    {:ok, bytes} =
      MessagePack.pack(%{
        "key" => entry.key,
        "origin" => entry.origin,
        "seq" => entry.seq,
        "soul" => entry.soul,
        "messages" => {:bin, entry.messages}
      })

    with :ok <- File.mkdir_p(Path.dirname(path)),
         :ok <- write_synced(path <> ".new", bytes),
         :ok <- File.rename(path <> ".new", path),
         :ok <- sync_folder(Path.dirname(path)) do
      {:ok, %{entry | bytes: byte_size(bytes)}}
    else
      {:error, reason} ->
        # The caller is told that it was not kept: it must not go out after all.
        Enum.each([path, path <> ".new"], &File.rm/1)
        {:error, reason}
    end
  end

  @doc "Takes one away that has arrived."
  @spec delete(Path.t(), entry()) :: :ok | {:error, File.posix()}
  def delete(dir, entry), do: File.rm(path(dir, entry))

  @doc "Puts one aside that its owner will never take."
  @spec refuse(Path.t(), entry()) :: :ok | {:error, File.posix()}
  def refuse(dir, entry), do: put_aside(dir, path(dir, entry))

  @doc "How many were put aside."
  @spec refused(Path.t()) :: non_neg_integer()
  def refused(dir), do: length(Path.wildcard(Path.join([dir, @refused, "*.push"])))

  defp path(dir, entry), do: Path.join([dir, entry.soul, "#{String.pad_leading("#{entry.number}", 20, "0")}.push"])

  defp read(dir, path) do
    with {:ok, bytes} <- File.read(path),
         {number, ".push"} <- path |> Path.basename() |> Integer.parse(),
         {:ok, %{"origin" => origin, "seq" => seq, "soul" => soul, "messages" => {:bin, messages}} = kept} <-
           MessagePack.unpack(bytes) do
      [
        %__MODULE__{
          number: number,
          soul: soul,
          # What an earlier version sent it under, which kept no key.
          key: Map.get(kept, "key", "outbox-#{origin}-#{seq}"),
          origin: origin,
          seq: seq,
          messages: messages,
          bytes: byte_size(bytes)
        }
      ]
    else
      _unreadable ->
        put_aside(dir, path)
        []
    end
  end

  defp put_aside(dir, path) do
    name = "#{path |> Path.dirname() |> Path.basename()}-#{Path.basename(path)}"

    with :ok <- File.mkdir_p(Path.join(dir, @refused)), do: File.rename(path, Path.join([dir, @refused, name]))
  end

  defp write_synced(path, bytes) do
    with {:ok, file} <- :file.open(path, [:write, :raw, :binary]) do
      try do
        with :ok <- :file.write(file, bytes), do: :file.sync(file)
      after
        :file.close(file)
      end
    end
  end

  # Without this the name may be gone after a power failure, though what it names is there.
  defp sync_folder(path) do
    with {:ok, folder} <- :file.open(path, [:read, :raw, :directory]) do
      try do
        with {:error, :einval} <- :file.sync(folder), do: :ok
      after
        :file.close(folder)
      end
    end
  end
end
