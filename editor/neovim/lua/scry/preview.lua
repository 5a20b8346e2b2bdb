---Previews a result in a picker: its file, scrolled to its range, with the matched words highlighted.

local answers = require("scry.answers")
local entry = require("scry.entry")
local position = require("scry.position")

local M = {}

local namespace = vim.api.nvim_create_namespace("scry.preview")

---Number of lines of a result in which words are highlighted, as a limit for classes of thousands of lines.
local MAX_MARKED_LINES = 400

---Priorities of highlights. Those of the syntax have 100: the range lies below them, the matched words above.
local BELOW_SYNTAX, ABOVE_SYNTAX = 90, 200

---@param buffer integer
---@param row integer
---@param line string
---@param words string[]
local function mark_words(buffer, row, line, words)
  local lower = line:lower()
  for _, word in ipairs(words) do
    local first, last = lower:find(word, 1, true)
    while first and last do
      vim.api.nvim_buf_set_extmark(buffer, namespace, row, first - 1, {
        end_col = last,
        hl_group = "ScryMatch",
        priority = ABOVE_SYNTAX,
        strict = false,
      })
      first, last = lower:find(word, last + 1, true)
    end
  end
end

---Highlight a result in a buffer that holds its file.
---@param buffer integer
---@param hit scry.Hit
---@return scry.Span? span of the result; nil where it has no location
function M.mark(buffer, hit)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  if not hit.item.location then
    return nil
  end
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local span = position.span(hit.item.location.range, lines, hit.encoding)
  local stop = span.end_column == 0 and span.end_row or span.end_row + 1
  vim.api.nvim_buf_set_extmark(buffer, namespace, span.row, 0, {
    end_row = math.min(math.max(stop, span.row + 1), #lines),
    hl_group = "ScryRange",
    hl_eol = true,
    priority = BELOW_SYNTAX,
    strict = false,
  })
  local words = entry.words(hit)
  for row = span.row, math.min(span.end_row, span.row + MAX_MARKED_LINES) do
    mark_words(buffer, row, lines[row + 1] or "", words)
  end
  return span
end

---Scroll a result into view.
---@param window integer
---@param span? scry.Span
function M.scroll(window, span)
  if span and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_call(window, function()
      pcall(vim.api.nvim_win_set_cursor, window, { span.row + 1, 0 })
      vim.cmd("normal! zt" .. (span.row > 2 and vim.keycode("2<C-y>") or ""))
    end)
  end
end

---Return the preview of a result without a file: its title, snippet and evidence.
---@param hit scry.Hit
---@return string[]
function M.lines(hit)
  local item = hit.item
  local lines = { item.title, "" }
  vim.list_extend(lines, vim.split(item.snippet, "\n"))
  if item.evidence and item.evidence ~= "" then
    vim.list_extend(lines, { "", item.evidence })
  end
  return lines
end

---Fill a buffer with the text of a result's file, or with other lines where there is none.
---@param buffer integer
---@param hit scry.Hit
---@param path string "" without a file
---@param lines string[]
---@return scry.Span? span of the result; nil where it has no location
local function show(buffer, hit, path, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  local filetype = path ~= "" and vim.filetype.match({ buf = buffer, filename = path })
  local language = filetype and vim.treesitter.language.get_lang(filetype)
  if filetype and not (language and pcall(vim.treesitter.start, buffer, language)) then
    vim.bo[buffer].syntax = filetype
  end
  return path ~= "" and M.mark(buffer, hit) or nil
end

---Fill a buffer with what an answer says of a result of the team, and with its file once the sidecar has sent that,
---unless the buffer shows another result by then.
---@param buffer integer
---@param hit scry.Hit
local function load_team_file(buffer, hit)
  local reference = vim.json.encode(answers.reference(hit))
  vim.b[buffer].scry_preview = reference
  show(buffer, hit, "", M.lines(hit))
  require("scry.team_file").read(hit, function(_, file)
    if file and vim.api.nvim_buf_is_valid(buffer) and vim.b[buffer].scry_preview == reference then
      local span = show(buffer, hit, vim.uri_decode(file.uri), vim.split(file.text, "\r?\n"))
      for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
        M.scroll(window, span)
      end
    end
  end)
end

---Fill a buffer with the preview of a result, without loading its file into the editor.
---@param buffer integer
---@param hit scry.Hit
---@return scry.Span? span of the result; nil where it has no location, or its file has not come yet
function M.load(buffer, hit)
  if answers.is_of_team(hit) and hit.item.location then
    return load_team_file(buffer, hit)
  end
  vim.b[buffer].scry_preview = nil
  local path = answers.path(hit)
  hit = answers.in_edited_text(hit)
  return show(buffer, hit, path, path ~= "" and position.lines(path) or M.lines(hit))
end

---Show the preview of a result in a window.
---@param buffer integer
---@param window integer
---@param hit scry.Hit
function M.fill(buffer, window, hit)
  M.scroll(window, M.load(buffer, hit))
end

---Return the preview of a result in the form of `vim.ui.select`: a buffer and the range of the result.
---@param buffer integer
---@param hit scry.Hit
---@return { buf: integer, pos?: integer[], pos_end?: integer[] }
function M.item(buffer, hit)
  local span = M.load(buffer, hit)
  if not span then
    return { buf = buffer }
  end
  return { buf = buffer, pos = { span.row + 1, span.column }, pos_end = { span.end_row + 1, span.end_column } }
end

return M
