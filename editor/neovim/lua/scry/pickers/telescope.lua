---By telescope: asks as one types, keeps the sidecar's order, previews the range.

local actions = require("scry.actions")
local answers = require("scry.answers")
local entry = require("scry.entry")
local notify = require("scry.notify")
local preview = require("scry.preview")

---@type scry.Picker
local M = { name = "telescope" }

function M.is_there()
  return (pcall(require, "telescope"))
end

---@param parts scry.Part[]
---@return string
---@return table[] highlights as telescope takes them
local function styled(parts)
  local highlights, column = {}, 0 ---@type table[], integer
  for _, part in ipairs(parts) do
    if part[2] then
      highlights[#highlights + 1] = { { column, column + #part[1] }, part[2] }
    end
    column = column + #part[1]
  end
  return entry.text(parts), highlights
end

---@param hit scry.Hit
---@param parts scry.Part[]
---@return table
local function to_entry(hit, parts)
  local text, highlights = styled(parts)
  local path = answers.path(hit)
  return {
    value = hit,
    ordinal = text,
    display = function()
      return text, highlights
    end,
    filename = path ~= "" and path or nil,
    lnum = hit.item.location and hit.item.location.range.start.line + 1 or nil,
  }
end

---A sorter that keeps the sidecar's order, and leaves out what has not all words of the prompt.
---@return table
function M.in_order()
  return require("telescope.sorters").Sorter:new({
    scoring_function = function(_, prompt, line, each)
      for word in prompt:lower():gmatch("%S+") do
        if not line:lower():find(word, 1, true) then
          return -1
        end
      end
      return each.index
    end,
  })
end

---A finder that asks the sidecar; a newer question cancels the older one. What can't be typed on is asked once.
---@param source scry.Source
---@param picker fun(): table
---@return table
local function finder(source, picker)
  local own = { results = {} }
  local cancel = function() end
  local kept ---@type scry.Found?

  function own.close()
    cancel()
  end

  ---@param found scry.Found
  ---@param process_result fun(entry: table): boolean?
  ---@param process_complete fun()
  local function show(found, process_result, process_complete)
    local status = picker()
    local width = vim.api.nvim_win_get_width(status.results_win) - vim.api.nvim_strwidth(status.selection_caret)
    own.results = {}
    for index, parts in ipairs(entry.lines(found.hits, width)) do
      local each = to_entry(found.hits[index], parts)
      each.index = index
      own.results[index] = each
      if process_result(each) then
        return
      end
    end
    process_complete()
    if status.layout.results.border then
      status.layout.results.border:change_title(found.header ~= "" and found.header or "Results")
    end
  end

  return setmetatable(own, {
    __call = function(_, prompt, process_result, process_complete)
      cancel()
      if kept then
        return show(kept, process_result, process_complete)
      end
      cancel = source.ask(source.live and prompt or source.query, function(failure, found)
        if not vim.api.nvim_buf_is_valid(picker().prompt_bufnr or -1) then
          return
        elseif failure then
          notify.error(failure.message)
          return process_complete()
        end
        kept = not source.live and found or nil
        show(found, process_result, process_complete)
      end)
    end,
  })
end

---@return table
local function previewer()
  return require("telescope.previewers").new_buffer_previewer({
    title = "Preview",
    define_preview = function(self, chosen)
      local buffer, window = self.state.bufnr, self.state.winid
      local span = preview.load(buffer, chosen.value)
      -- Telescope puts a new buffer into the window only after this.
      vim.schedule(function()
        if vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == buffer then
          preview.scroll(window, span)
        end
      end)
    end,
  })
end

---Return the selected entries, or all of them.
---@param picker table
---@return scry.Hit[]
local function selected(picker)
  local entries = picker:get_multi_selection()
  if #entries == 0 then
    entries = picker.finder.results
  end
  return vim.tbl_map(function(each)
    return each.value
  end, entries)
end

---@param source scry.Source
---@param action? string
---@return fun(prompt: integer)
local function acting(source, action)
  return function(prompt)
    local state = require("telescope.actions.state")
    local chosen = state.get_selected_entry()
    if not chosen then
      return
    end
    local picker = state.get_current_picker(prompt)
    local all, query = selected(picker), picker:_get_prompt()
    local title = source.live and query or source.title
    if actions.stays[action] then
      return actions.run(action, chosen.value, all, title)
    end
    require("telescope.actions").close(prompt)
    -- Insert mode ends only after this key.
    vim.schedule(function()
      actions.run(action, chosen.value, all, title)
    end)
  end
end

---@param source scry.Source
---@param map fun(modes: string[], key: string, run: fun(prompt: integer))
local function map_keys(source, map)
  local theirs = require("telescope.actions")
  theirs.select_default:replace(acting(source))
  theirs.select_horizontal:replace(acting(source, "split"))
  theirs.select_vertical:replace(acting(source, "vsplit"))
  theirs.select_tab:replace(acting(source, "tab"))
  for _, name in ipairs({ "send_to_qflist", "send_selected_to_qflist", "smart_send_to_qflist" }) do
    theirs[name]:replace(acting(source, "quickfix"))
  end
  for action, key in pairs(actions.keys()) do
    map({ "i", "n" }, key, acting(source, action))
  end
  return true
end

function M.open(source, options)
  local picker ---@type table
  local own = {
    prompt_title = source.title,
    default_text = source.live and source.query or nil,
    finder = finder(source, function()
      return picker
    end),
    previewer = previewer(),
    sorter = source.live and require("telescope.sorters").empty() or M.in_order(),
    -- The sidecar has filtered the results already.
    file_ignore_patterns = {},
    attach_mappings = function(_, map)
      return map_keys(source, map)
    end,
  }
  picker = require("telescope.pickers").new(options or {}, own)
  picker:find()
end

return M
