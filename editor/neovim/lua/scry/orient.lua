---Shows the important files of a folder in a buffer. Files are opened in the window beside it.

local actions = require("scry.actions")
local entry = require("scry.entry")
local highlights = require("scry.highlights")
local modes = require("scry.modes")
local notify = require("scry.notify")
local scratch = require("scry.scratch")
local team_file = require("scry.team_file")

local M = {}

local namespace = vim.api.nvim_create_namespace("scry.orient")

---The indentation of the line that describes a file.
local INDENT = "    "

---Milliseconds between two requests while the answer is partial.
local POLL_MS = 1000

---@class scry.OrientView a buffer that lists the files of a folder.
---@field source scry.Source
---@field answer scry.Answer the newest one
---@field hits table<integer, scry.Hit> by line, 1-based
---@field buffer integer

local views = {} ---@type table<integer, scry.OrientView> by buffer

---@param view scry.OrientView
---@return scry.Hit?
local function hit_here(view)
  return view.hits[vim.api.nvim_win_get_cursor(0)[1]]
end

---Show the folder of a file or folder, if it is in the project, or in the repository of the team.
---@param view scry.OrientView
---@param uri string
local function show_folder_of(view, uri)
  local folder, root = vim.fs.dirname(uri), view.source.root
  if team_file.split(folder) or require("scry.root").contains(root, vim.fs.normalize(vim.uri_to_fname(folder))) then
    M.open(modes.orient(root, folder), vim.api.nvim_get_current_win())
  else
    notify.info("this is the root of the project.")
  end
end

---@param view scry.OrientView
local function map_keys(view)
  ---@param key string
  ---@param desc string
  ---@param run fun(hit: scry.Hit)
  local function on_hit(key, desc, run)
    vim.keymap.set("n", key, function()
      local hit = hit_here(view)
      if hit then
        run(hit)
      end
    end, { buffer = view.buffer, nowait = true, desc = "Scry: " .. desc })
  end
  on_hit("<CR>", "go to the file", require("scry.jump").to)
  on_hit("K", "why is it here?", function(hit)
    actions.why(hit, nil, function()
      require("scry.jump").to(hit)
    end)
  end)
  on_hit("d", "the file in full", function(hit)
    require("scry.detail").open(hit, "edit") -- in place of the list
  end)
  on_hit("+", "orient in the file's folder", function(hit)
    show_folder_of(view, hit.item.location.uri)
  end)
  vim.keymap.set("n", "-", function()
    show_folder_of(view, view.source.query)
  end, { buffer = view.buffer, nowait = true, desc = "Scry: orient in the folder above" })
end

---Return the name of a source's project, and the path of its folder in there.
---@param source scry.Source
---@return string project
---@return string path "" for the whole project
local function folder_of(source)
  local project, path = team_file.split(source.query)
  return project or vim.fs.basename(source.root), path or vim.uri_to_fname(source.query):sub(#source.root + 2)
end

---Return the name of the buffer of a source: the root of the project, or the team's repository, and the folder.
---@param source scry.Source
---@return string
local function name_of(source)
  local project, path = folder_of(source)
  local root = team_file.split(source.query) and "team/" .. project or source.root:gsub("^/", "")
  return ("orient/%s%s"):format(root, path ~= "" and ":" .. path or "")
end

---@param view scry.OrientView
---@param answer scry.Answer
local function show(view, answer)
  local lines, marks = {}, {} ---@type string[], table<integer, scry.Part[]>
  view.answer, view.hits = answer, {}
  ---@param parts scry.Part[]
  ---@param hit? scry.Hit
  local function add(parts, hit)
    lines[#lines + 1] = entry.text(parts)
    marks[#lines], view.hits[#lines] = parts, hit
  end
  local project, path = folder_of(view.source)
  add({ { path ~= "" and path or project, "Title" } })
  add({ { "<CR> file  K why  d in full  + into its folder  - folder above  q close", "ScrySnippet" } })
  if answer.notice ~= "" then
    add({ { answer.notice, "ScryNotice" } })
  end
  for _, hit in ipairs(answer.hits) do
    local evidence = entry.evidence(hit)
    add({ { "" } })
    add({
      { ("%d. "):format(hit.item.rank), "ScryRank" },
      { entry.location(hit), "ScryPlace" },
      { evidence ~= "" and " " .. evidence or "", "ScryEvidence" },
    }, hit)
    add({ { INDENT .. entry.printable(hit.item.snippet), "ScrySnippet" } }, hit)
  end
  scratch.fill(view.buffer, lines)
  vim.api.nvim_buf_clear_namespace(view.buffer, namespace, 0, -1)
  for row, parts in pairs(marks) do
    highlights.apply(view.buffer, namespace, row - 1, parts)
  end
end

---Return the line of an entry.
---@param view scry.OrientView
---@param doc_id string
---@return integer?
local function line_of(view, doc_id)
  for line = 1, vim.api.nvim_buf_line_count(view.buffer) do
    if view.hits[line] and view.hits[line].item.doc_id == doc_id then
      return line
    end
  end
end

---Move the cursor of a window to the first entry, if there is one.
---@param view scry.OrientView
---@param window integer
local function go_to_first(view, window)
  local first = view.answer.hits[1]
  if first then
    vim.api.nvim_win_set_cursor(window, { line_of(view, first.item.doc_id), 0 })
  end
end

---Show a newer answer. The cursor of each window stays at its entry, or goes to the first one if there was none.
---@param view scry.OrientView
---@param answer scry.Answer
local function renew(view, answer)
  local cursors = {} ---@type { window: integer, doc_id: string, below: integer, column: integer }[]
  for _, window in ipairs(vim.fn.win_findbuf(view.buffer)) do
    local line, column = unpack(vim.api.nvim_win_get_cursor(window))
    local doc_id = view.hits[line] and view.hits[line].item.doc_id
    if doc_id then
      table.insert(cursors, { window = window, doc_id = doc_id, below = line - line_of(view, doc_id), column = column })
    end
  end
  local was_empty = #view.answer.hits == 0
  show(view, answer)
  for _, window in ipairs(was_empty and vim.fn.win_findbuf(view.buffer) or {}) do
    go_to_first(view, window)
  end
  for _, each in ipairs(cursors) do
    local line = line_of(view, each.doc_id)
    if line then
      vim.api.nvim_win_set_cursor(each.window, { line + each.below, each.column })
    end
  end
end

---Ask again until the answer is complete, as long as a window shows the view.
---@param view scry.OrientView
local function complete_later(view)
  local answer = view.answer
  ---@return boolean
  local function is_due()
    return view.answer == answer and #vim.fn.win_findbuf(view.buffer) > 0
  end
  if not answer.is_partial then
    return
  end
  vim.defer_fn(function()
    if not is_due() then
      return
    end
    view.source.ask(view.source.query, function(_, newer)
      if newer and is_due() then
        renew(view, newer)
        complete_later(view)
      end
    end, answer)
  end, POLL_MS)
end

---Return the view of a source, created where there is none.
---@param source scry.Source
---@return scry.OrientView
local function view_of(source)
  local buffer = scratch.create(name_of(source), "", source.root)
  if not views[buffer] then
    views[buffer] = { source = source, hits = {}, buffer = buffer }
  end
  map_keys(views[buffer]) -- closing the buffer removed them
  return views[buffer]
end

---Show a view in a window, by default the one that shows it, or else a new one. Return the window.
---@param view scry.OrientView
---@param window? integer
---@return integer
local function place(view, window)
  local shown = vim.fn.bufwinid(view.buffer)
  if not window and shown > 0 then
    vim.api.nvim_set_current_win(shown)
    return shown
  end
  local is_own = not window and scratch.window("vsplit") or window ~= nil and scratch.is_own(window)
  window = window or vim.api.nvim_get_current_win()
  scratch.show(view.buffer, window, "scry-orient", is_own)
  for _, option in ipairs({ "wrap", "linebreak", "breakindent" }) do
    vim.api.nvim_set_option_value(option, true, { win = window, scope = "local" })
  end
  return window
end

---Show the answer of a source.
---@param source scry.Source
---@param window? integer the window of the view that leads to it, which is reused
function M.open(source, window)
  local before = window and vim.api.nvim_win_get_buf(window)
  source.ask(source.query, function(failure, answer)
    if failure then
      return notify.error(failure.message)
    elseif window and not (vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == before) then
      return -- the view was closed meanwhile
    end
    local view = view_of(source)
    local shown_in = place(view, window)
    show(view, answer)
    go_to_first(view, shown_in)
    complete_later(view)
  end)
end

return M
