---The adapter for telescope: sends a request with each key, keeps the sidecar's order and previews the range.

local actions = require("scry.actions")
local answers = require("scry.answers")
local entry = require("scry.entry")
local further = require("scry.further")
local notify = require("scry.notify")
local preview = require("scry.preview")

---@type scry.Picker
local M = { name = "telescope" }

function M.is_available()
  return (pcall(require, "telescope"))
end

---@param parts scry.Part[]
---@return string
---@return table[] highlights in telescope's form
local function with_highlights(parts)
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
  local text, highlights = with_highlights(parts)
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

---Return a sorter that keeps the sidecar's order and leaves out the lines that lack a word of the prompt.
---@return table
function M.keep_order_sorter()
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

---Show a text above the results.
---@param picker table
---@param text string
local function show_header(picker, text)
  local border = picker.layout and picker.layout.results and picker.layout.results.border
  if border then
    border:change_title(text ~= "" and text or "Results")
  end
end

---Return a finder that sends requests to the sidecar. A newer request cancels an older one. The answer of a source that
---is not live is requested once.
---@param source scry.Source
---@param listing scry.Listing
---@param picker fun(): table
---@return table
local function finder(source, listing, picker)
  local own = { results = {} }
  local cancel = function() end

  function own.close()
    cancel()
  end

  ---@param answer scry.Answer
  ---@param process_result fun(entry: table): boolean?
  ---@param process_complete fun()
  local function show(answer, process_result, process_complete)
    local status = picker()
    local width = vim.api.nvim_win_get_width(status.results_win) - vim.api.nvim_strwidth(status.selection_caret)
    own.results = {}
    local hits = listing:hits()
    for index, parts in ipairs(entry.lines(hits, width)) do
      local each = to_entry(hits[index], parts)
      each.index = index
      own.results[index] = each
      if process_result(each) then
        return
      end
    end
    process_complete()
    show_header(status, answer.header)
  end

  return setmetatable(own, {
    __call = function(_, prompt, process_result, process_complete)
      cancel()
      if listing.answer and not source.live and not listing.answer.is_partial then
        return show(listing.answer, process_result, process_complete)
      end
      cancel = listing:ask(source, source.live and prompt or source.query, function(failure, answer)
        if not vim.api.nvim_buf_is_valid(picker().prompt_bufnr or -1) then
          return
        elseif failure then
          process_complete()
          return notify.error(failure.message)
        end
        show(answer, process_result, process_complete)
      end)
    end,
  })
end

---@return table
local function previewer()
  return require("telescope.previewers").new_buffer_previewer({
    title = "Preview",
    define_preview = function(self, selection)
      local buffer, window = self.state.bufnr, self.state.winid
      local span = preview.load(buffer, selection.value)
      -- Telescope sets the new buffer in the window after this function.
      vim.schedule(function()
        if vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == buffer then
          preview.scroll(window, span)
        end
      end)
    end,
  })
end

---@param entries table[]
---@return scry.Hit[]
local function hits_of(entries)
  return vim.tbl_map(function(each)
    return each.value
  end, entries)
end

---Fill a picker again.
---@param picker table
---@param index fun(): integer the entry that gets the focus
local function refill(picker, index)
  picker:register_completion_callback(function()
    picker:clear_completion_callbacks()
    picker:set_selection(picker:get_row(index()))
  end)
  picker:refresh()
end

---List or hide the further places of the selected result.
---@param listing scry.Listing
---@param prompt integer
local function toggle_further(listing, prompt)
  local state = require("telescope.actions.state")
  local selection, picker = state.get_selected_entry(), state.get_current_picker(prompt)
  local index = selection and listing:toggle(selection.value)
  if index then
    refill(picker, function()
      return index
    end)
  end
end

---@param picker table
---@return scry.OpenPicker
local function open_picker(picker)
  return {
    is_open = function()
      return vim.api.nvim_buf_is_valid(picker.prompt_bufnr or -1)
    end,
    focused = function()
      local selection = picker:get_selection()
      return selection and selection.value
    end,
    refill = function(index)
      refill(picker, index)
    end,
    show_header = function(text)
      show_header(picker, text)
    end,
  }
end

---@param source scry.Source
---@param action? string
---@return fun(prompt: integer)
local function action_handler(source, action)
  return function(prompt)
    local state = require("telescope.actions.state")
    local selection = state.get_selected_entry()
    if not selection then
      return
    end
    local picker = state.get_current_picker(prompt)
    ---@type scry.Picked
    local picked = {
      hit = selection.value,
      all = hits_of(picker.finder.results),
      selected = hits_of(picker:get_multi_selection()),
      title = source.live and picker:_get_prompt() or source.title,
    }
    if actions.keeps_open[action] then
      return actions.run(action, picked)
    end
    require("telescope.actions").close(prompt)
    -- Insert mode ends after this key is handled.
    vim.schedule(function()
      actions.run(action, picked)
    end)
  end
end

---@param source scry.Source
---@param listing scry.Listing
---@param map fun(modes: string[], key: string, run: fun(prompt: integer))
local function map_keys(source, listing, map)
  local telescope_actions = require("telescope.actions")
  telescope_actions.select_default:replace(action_handler(source))
  telescope_actions.select_horizontal:replace(action_handler(source, "split"))
  telescope_actions.select_vertical:replace(action_handler(source, "vsplit"))
  telescope_actions.select_tab:replace(action_handler(source, "tab"))
  for _, name in ipairs({ "send_to_qflist", "send_selected_to_qflist", "smart_send_to_qflist" }) do
    telescope_actions[name]:replace(action_handler(source, "quickfix"))
  end
  for action, key in pairs(actions.keys()) do
    local toggle = action == "further" and function(prompt)
      toggle_further(listing, prompt)
    end
    map({ "i", "n" }, key, toggle or action_handler(source, action))
  end
  return true
end

function M.open(source, options)
  local picker ---@type table
  local listing = further.new()
  local own = {
    prompt_title = source.title,
    default_text = source.live and source.query or nil,
    finder = finder(source, listing, function()
      return picker
    end),
    previewer = previewer(),
    sorter = source.live and require("telescope.sorters").empty() or M.keep_order_sorter(),
    -- The sidecar has already applied the ignore rules.
    file_ignore_patterns = {},
    attach_mappings = function(_, map)
      return map_keys(source, listing, map)
    end,
  }
  picker = require("telescope.pickers").new(options or {}, own)
  listing:attach(open_picker(picker))
  picker:find()
end

return M
