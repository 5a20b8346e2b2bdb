---The filters of a query: completion of their values, and filters for a part of the project.

local M = {}

---Languages that files are indexed as.
---@type string[]
M.languages = vim.split(
  "ada agda antlr apex asciidoc assembly astro autoconf automake awk bash batch bicep c cabal cairo capnproto "
    .. "chapel clojure cmake cobol coffeescript coq cpp crystal csharp css csv cue cython d dart dhall diff "
    .. "dockerfile eex ejs elisp elixir elm erb erlang fennel fish flatbuffers fortran freemarker fsharp gdscript "
    .. "gettext gherkin gleam glsl go go-template graphql graphviz groovy haml handlebars haskell haxe hcl hlsl html "
    .. "idris ini isabelle janet java javascript jinja json jsonnet jsp julia jupyter just kotlin lean lex lfe "
    .. "liquid lisp llvm lua make mako markdown matlab meson mojo move nim nix noir nushell objective-c ocaml odin "
    .. "org pascal perl php pod pony powershell prisma prolog protobuf pug puppet purescript python qml r racket "
    .. "raku razor rbs rdoc reason rego restructuredtext robot roff ruby rust scala scheme slim smithy solidity sql "
    .. "standard-ml starlark svelte swift tablegen tcl tex texinfo text textile thrift tla toml twig typescript "
    .. "typst vala velocity verilog vhdl vim visual-basic vlang vue vyper webassembly wgsl xml yacc yaml zig",
  " "
)

---Content types of results.
M.types = { "code", "doc", "commit", "belief", "pattern", "session", "memory", "persona" }

---Sources of results.
M.sources = { "project", "persona" }

---@param choices string[]
---@return fun(value: string): string[]
local function among(choices)
  return function(value)
    return vim.tbl_filter(function(choice)
      return vim.startswith(choice, value:lower())
    end, choices)
  end
end

---Return the files and folders of the project of the current buffer that begin with a path.
---@param value string
---@return string[]
local function paths(value)
  local root = require("scry.root").of() .. "/"
  local found = vim.fn.getcompletion(root .. value:gsub('"', ""), "file")
  return vim.tbl_map(function(path)
    local inside = vim.fs.normalize(path):sub(#root + 1) .. (vim.endswith(path, "/") and "/" or "")
    return inside:find("%s") and ('"%s"'):format(inside) or inside
  end, found)
end

---Completions by the filter's name; in the order in which the names are completed.
local NAMES = { "lang", "path", "type", "source", "domain" }

---@type table<string, fun(value: string): string[]>
local VALUES = { lang = among(M.languages), path = paths, type = among(M.types), source = among(M.sources) }

---Return the completions of a word of a query: the names of filters, and after a colon their values.
---@param lead string
---@return string[]
function M.complete(lead)
  local minus, name, value = lead:match("^(%-?)(%a+):(.*)$")
  if VALUES[name] then
    return vim.tbl_map(function(each)
      return ("%s%s:%s"):format(minus, name, each)
    end, VALUES[name](value))
  end
  local excludes, start = lead:match("^(%-?)(%a*)$")
  local matching = vim.tbl_filter(function(each)
    return start ~= nil and vim.startswith(each, start)
  end, NAMES)
  return vim.tbl_map(function(each)
    return excludes .. each .. ":"
  end, matching)
end

---@class scry.Filters filters that confine a search to a part of the project.
---@field text string as in a query.
---@field label string for titles, such as ` in shop/`.

---@param path string relative to the project
---@return string
local function path_filter(path)
  local pattern = path:gsub("[%[*?]", "[%0]")
  return pattern:find("%s") and ('path:"%s"'):format(pattern) or "path:" .. pattern
end

---Return the filter for a folder; nil for the whole project.
---@param root string
---@param folder string
---@return scry.Filters?
function M.of_folder(root, folder)
  if folder == root then
    return nil
  end
  local inside = folder:sub(#root + 2) .. "/"
  -- The star makes it a pattern for the whole path; without one it would match in the middle of another path.
  return { text = (path_filter(inside):gsub('/("?)$', "/*%1")), label = " in " .. inside }
end

---Number of related files of each kind that a search is confined to.
local MAX_NEIGHBORS = 20

---Request the filters for the files that are related to a file: by co-changes, by imports and by calls.
---@param root string
---@param file string
---@param done fun(filters: scry.Filters)
function M.of_neighbors(root, file, done)
  local notify, protocol = require("scry.notify"), require("scry.generated.protocol")
  local answers, request = require("scry.answers"), require("scry.request")
  local texts, waiting = {}, 2 ---@type table<string, true>, integer
  for _, by in ipairs({ "cochange", "dependency" }) do
    ---@type scry.protocol.NeighborsParams
    local params = { file = vim.uri_from_fname(file), by = by, limit = MAX_NEIGHBORS }
    request.send(root, protocol.methods.neighbors, params, function(failure, answer, encoding)
      if failure then
        return notify.error(failure.message)
      end
      for _, hit in ipairs(answers.from_protocol(answer, root, encoding).hits) do
        texts[path_filter(answers.path(hit):sub(#root + 2))] = true
      end
      waiting = waiting - 1
      local words = vim.tbl_keys(texts)
      table.sort(words)
      if waiting == 0 and #words == 0 then
        notify.info(("no file is related to %s yet."):format(vim.fs.basename(file)))
      elseif waiting == 0 then
        done({ text = table.concat(words, " "), label = " among the neighbors of " .. vim.fs.basename(file) })
      end
    end)
  end
end

return M
