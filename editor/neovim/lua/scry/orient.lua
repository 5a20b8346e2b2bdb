---The files that matter in a folder, as a buffer to walk through: beside it, each file that one goes to.

local actions = require("scry.actions")
local answers = require("scry.answers")
local entry = require("scry.entry")
local highlights = require("scry.highlights")
local modes = require("scry.modes")
local notify = require("scry.notify")
local scratch = require("scry.scratch")

local M = {}

local namespace = vim.api.nvim_create_namespace("scry.orient")

---Before what is in a file, under its name.
local INDENT = "    "

---@class scry.Walk one such buffer.
---@field source scry.Source
---@field hits table<integer, scry.Hit> by line, 1-based
---@field buffer integer

---@param walk scry.Walk
---@return scry.Hit?
local function hit_here(walk)
  return walk.hits[vim.api.nvim_win_get_cursor(0)[1]]
end

---Another window than the walk's: the last one, or a new one beside it.
local function leave_window()
  local own = vim.api.nvim_get_current_win()
  vim.cmd.wincmd("p")
  if vim.api.nvim_get_current_win() == own then
    vim.cmd("rightbelow vsplit")
  end
end

---@param walk scry.Walk
---@param folder string
local function go(walk, folder)
  if require("scry.root").contains(walk.source.root, folder) then
    M.open(modes.orient(walk.source.root, vim.uri_from_fname(folder)), walk)
  else
    notify.info("this is the root of the project.")
  end
end

---@param walk scry.Walk
local function map_keys(walk)
  ---@param key string
  ---@param desc string
  ---@param run fun(hit: scry.Hit)
  local function on_hit(key, desc, run)
    vim.keymap.set("n", key, function()
      local hit = hit_here(walk)
      if hit then
        run(hit)
      end
    end, { buffer = walk.buffer, nowait = true, desc = "Scry: " .. desc })
  end
  on_hit("<CR>", "go to the file", function(hit)
    leave_window()
    require("scry.jump").to(hit)
  end)
  on_hit("K", "why is it here?", actions.why)
  on_hit("d", "the file in full", actions.detail)
  on_hit("+", "orient in the file's folder", function(hit)
    go(walk, vim.fs.dirname(answers.path(hit)))
  end)
  vim.keymap.set("n", "-", function()
    go(walk, vim.fs.dirname(vim.uri_to_fname(walk.source.query)))
  end, { buffer = walk.buffer, nowait = true, desc = "Scry: orient in the folder above" })
end

---@param walk scry.Walk
---@param found scry.Found
local function show(walk, found)
  local lines, marks = {}, {} ---@type string[], table<integer, scry.Part[]>
  walk.hits = {}
  ---@param parts scry.Part[]
  ---@param hit? scry.Hit
  local function add(parts, hit)
    lines[#lines + 1] = entry.text(parts)
    marks[#lines], walk.hits[#lines] = parts, hit
  end
  local path = vim.uri_to_fname(walk.source.query):sub(#walk.source.root + 2)
  add({ { path ~= "" and path or vim.fs.basename(walk.source.root), "Title" } })
  add({ { "<CR> file  K why  d in full  + into its folder  - folder above  q close", "ScrySnippet" } })
  if found.notice ~= "" then
    add({ { found.notice, "ScryNotice" } })
  end
  for index, parts in ipairs(entry.lines(found.hits, 10000)) do
    local hit = found.hits[index]
    add({ { "" } })
    parts[5] = { vim.trim(parts[5][1]), parts[5][2] } -- here the places need no column
    add(vim.list_slice(parts, 1, 7), hit)
    add({ { INDENT .. entry.printable(hit.item.snippet), "ScrySnippet" } }, hit)
  end
  scratch.fill(walk.buffer, lines)
  vim.api.nvim_buf_clear_namespace(walk.buffer, namespace, 0, -1)
  for row, parts in pairs(marks) do
    highlights.apply(walk.buffer, namespace, row - 1, parts)
  end
end

---@param source scry.Source
---@return scry.Walk
local function new(source)
  local buffer = scratch.open("orient/" .. vim.fs.basename(source.root), "", "scry-orient", source.root, "vsplit")
  vim.wo.wrap = true
  vim.wo.linebreak = true
  vim.wo.breakindent = true
  local walk = { source = source, hits = {}, buffer = buffer }
  map_keys(walk)
  return walk
end

---@param source scry.Source
---@param walk? scry.Walk the buffer to show it in; a new one when absent
function M.open(source, walk)
  source.ask(source.query, function(failure, found)
    if failure then
      return notify.error(failure.message)
    end
    walk = walk or new(source)
    walk.source = source
    show(walk, found)
    pcall(vim.api.nvim_win_set_cursor, 0, { found.notice ~= "" and 5 or 4, 0 })
  end)
end

return M
