defmodule Web.Conn do
  @moduledoc ~S"""
  The connection.

  It has fields.
  """

  use Web.Builder, init_mode: :runtime
  alias Web.{Adapter, Conn.Query}
  alias Web.Router, as: R
  import Web.Utils, only: [decode: 1]
  require Logger
  @behaviour Web.Plug

  @type status :: integer | atom
  @typedoc "With an owner."
  @type t(owner) :: %__MODULE__{owner: owner}
  @callback call(t, opts :: term) :: t
  @statuses %{200 => "OK"}

  defstruct owner: nil, status: nil

  defexception_like = 1

  @doc """
  Sends a response.

  ## Examples

      iex> send_resp(conn, 200, "")
  """
  @spec send_resp(t, status, iodata) :: t
  @impl true
  def send_resp(conn, status, body \\ "")

  def send_resp(%Web.Conn{owner: nil}, _status, _body) do
    raise NotSentError
  end

  # Any other.
  def send_resp(conn, status, body) when is_integer(status) and status > 0 do
    Adapter.send(conn, status) |> finish(body)
  end

  @doc "One line."
  def status(conn), do: conn.status

  @doc false
  def größe, do: map_size(@statuses)

  defp finish(conn, body) do
    fun = fn x -> x end
    %{conn | body: fun.(body)}
  end

  def left <> right, do: {left, right}

  defmacro plug(module, opts \\ []) do
    quote do
      @plugs {unquote(module), unquote(opts)}
    end
  end

  defguard is_open(conn) when conn.state == :open

  defdelegate fetch_query(conn), to: Query, as: :fetch

  defmodule NotSentError do
    defexception message: "not sent"

    @impl true
    def message(%{message: text}), do: text
  end
end

defprotocol Web.Encoder do
  @doc "Encodes."
  def encode(value, opts)
end

defimpl Web.Encoder, for: [Map, List] do
  def encode(value, _opts) when is_map(value), do: Map.keys(value)
  def encode(value, _opts), do: value
end

defmodule Web.ConnTest do
  use ExUnit.Case, async: true

  describe "send_resp/3" do
    @tag :slow
    test "sends", %{conn: conn} do
      assert Web.Conn.send_resp(conn, 200, "x").status == 200
    end
  end
end
