((call target: (identifier) @_kw) @def (#any-of? @_kw "def" "defp" "defmacro" "defmacrop"))
((call target: (identifier) @_kw) @class (#any-of? @_kw "defmodule" "defprotocol"))
(comment) @comment
((unary_operator operand: (call target: (identifier) @_doc)) @comment (#any-of? @_doc "doc" "moduledoc"))
