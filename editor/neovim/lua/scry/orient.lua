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

---@class scry.OrientView a buffer that lists the files of a folder.
---@field source scry.Source
---@field hits table<integer, scry.Hit> by line, 1-based
---@field buffer integer

---@param view scry.OrientView
---@return scry.Hit?
local function hit_here(view)
  return view.hits[vim.api.nvim_win_get_cursor(0)[1]]
end

---Go to another window: the previous one, or a new one beside this.
local function go_to_other_window()
  local window = vim.api.nvim_get_current_win()
  vim.cmd.wincmd("p")
  if vim.api.nvim_get_current_win() == window then
    vim.cmd("rightbelow vsplit")
  end
end

---Show the folder of a file or folder, if it is in the project, or in the repository of the team.
---@param view scry.OrientView
---@param uri string
local function show_folder_of(view, uri)
  local folder, root = vim.fs.dirname(uri), view.source.root
  if team_file.split(folder) or require("scry.root").contains(root, vim.fs.normalize(vim.uri_to_fname(folder))) then
    M.open(modes.orient(root, folder), view)
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
  on_hit("<CR>", "go to the file", function(hit)
    go_to_other_window()
    require("scry.jump").to(hit)
  end)
  on_hit("K", "why is it here?", function(hit)
    actions.why(hit, nil, function()
      go_to_other_window()
      require("scry.jump").to(hit)
    end)
  end)
  on_hit("d", "the file in full", actions.detail)
  on_hit("+", "orient in the file's folder", function(hit)
    show_folder_of(view, hit.item.location.uri)
  end)
  vim.keymap.set("n", "-", function()
    show_folder_of(view, view.source.query)
  end, { buffer = view.buffer, nowait = true, desc = "Scry: orient in the folder above" })
end

---@param view scry.OrientView
---@param answer scry.Answer
local function show(view, answer)
  local lines, marks = {}, {} ---@type string[], table<integer, scry.Part[]>
  view.hits = {}
  ---@param parts scry.Part[]
  ---@param hit? scry.Hit
  local function add(parts, hit)
    lines[#lines + 1] = entry.text(parts)
    marks[#lines], view.hits[#lines] = parts, hit
  end
  local project, path = team_file.split(view.source.query)
  project = project or vim.fs.basename(view.source.root)
  path = path or vim.uri_to_fname(view.source.query):sub(#view.source.root + 2)
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

---@param source scry.Source
---@return scry.OrientView
local function create(source)
  local buffer = scratch.open("orient/" .. vim.fs.basename(source.root), "", "scry-orient", source.root, "vsplit")
  vim.wo.wrap = true
  vim.wo.linebreak = true
  vim.wo.breakindent = true
  local view = { source = source, hits = {}, buffer = buffer }
  map_keys(view)
  return view
end

---Show the answer of a source.
---@param source scry.Source
---@param view? scry.OrientView the view to reuse; by default a new one
function M.open(source, view)
  source.ask(source.query, function(failure, answer)
    if failure then
      return notify.error(failure.message)
    end
    view = view or create(source)
    view.source = source
    show(view, answer)
    pcall(vim.api.nvim_win_set_cursor, 0, { answer.notice ~= "" and 5 or 4, 0 })
  end)
end

return M
