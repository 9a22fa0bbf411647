defmodule SoulMem.Backoff do
  @moduledoc false
  # Exponential, with "equal jitter": the n-th pause is drawn from the upper half of min·2ⁿ, capped at max, so
  # that many nodes that lost something together do not come back together, and none comes back at once.

  @enforce_keys [:min, :max, :rand]
  defstruct [:min, :max, :rand, attempt: 0]

  @type t() :: %__MODULE__{
          min: pos_integer(),
          max: pos_integer(),
          rand: :rand.state(),
          attempt: non_neg_integer()
        }

  # Past this many doublings every sensible `max` is reached; it keeps the shift small.
  @most_doublings 20

  @spec new(keyword()) :: t()
  def new(options) do
    options = Keyword.validate!(options, [:min, :max, seed: nil])
    %__MODULE__{min: options[:min], max: options[:max], rand: seed(options[:seed])}
  end

  @doc "The pause before the next try, in milliseconds."
  @spec next(t()) :: {pos_integer(), t()}
  def next(%__MODULE__{attempt: attempt} = backoff) do
    ceiling = min(backoff.max, Bitwise.bsl(backoff.min, min(attempt, @most_doublings)))
    {fraction, rand} = :rand.uniform_s(backoff.rand)
    pause = div(ceiling, 2) + ceil(fraction * ceiling / 2)
    {pause, %{backoff | rand: rand, attempt: attempt + 1}}
  end

  @spec reset(t()) :: t()
  def reset(%__MODULE__{} = backoff), do: %{backoff | attempt: 0}

  defp seed(nil), do: :rand.seed_s(:exsss)
  defp seed(seed), do: :rand.seed_s(:exsss, seed)
end
