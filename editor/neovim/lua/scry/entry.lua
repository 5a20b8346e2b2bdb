---Formats results as aligned columns: rank, tag, path and line, name, evidence and snippet. The sidecar provides the
---texts. Where the window is narrow, the snippet is left out first, then the evidence is cut, then the names.

require("scry.highlights")

local position = require("scry.position")

local M = {}

---@alias scry.Part [string, string?] a part of a line, with its highlight group

---The least width of the names' column, in cells, if a name is as long.
local MIN_NAME_WIDTH = 16

---The width that names leave to the evidence, in cells, if it is as long; and the least, below which it is left out.
local RESERVED_EVIDENCE_WIDTH, MIN_EVIDENCE_WIDTH = 9, 8

---The least width of the snippet's column, in cells. Below it snippets are left out.
local MIN_SNIPPET_WIDTH = 16

---Return untrusted text as one printable line.
---@param text string
---@return string
function M.printable(text)
  return vim.fn.strtrans((vim.trim(text):gsub("%s+", " ")))
end

---Return the project prefix of a doc_id; nil where the question named no projects.
---@param item scry.protocol.ResultItem
---@return string? prefix with its colon
local function project_of(item)
  local prefix = item.project .. ":"
  return item.project ~= "" and vim.startswith(item.doc_id, prefix) and prefix or nil
end

---Return the tag of a result: its content type, and its project where the question named projects.
---@param hit scry.Hit
---@return string
function M.tag(hit)
  local item = hit.item
  return project_of(item) and ("[%s:%s]"):format(item.content_type, M.printable(item.project))
    or ("[%s]"):format(item.content_type)
end

---Return the doc_id of a result without the project and the `./`. A commit is shortened to seven digits.
---@param hit scry.Hit
---@return string
local function short_id(hit)
  local inside = hit.item.doc_id:sub(#(project_of(hit.item) or "") + 1)
  return (inside:gsub("^%./", ""):gsub("(commit:%x%x%x%x%x%x%x)%x+$", "%1"))
end

---Return where a result is: its path and line, `↳` and the line for a further place of a result's file, and the doc_id
---for a result that is in no file.
---@param hit scry.Hit
---@return string
function M.location(hit)
  local location = hit.item.location
  if not location then
    return M.printable(short_id(hit))
  elseif hit.parent then
    return ("↳ line %d"):format(position.target(location).line + 1)
  end
  local path = short_id(hit):match("^(.-)::") or short_id(hit):match("^(.-)#L%d") or short_id(hit)
  return M.printable(("%s:%d"):format(path, position.target(location).line + 1))
end

---Return the name of a result in its file; "" for a whole file, a range of lines, and a result that is in no file.
---@param hit scry.Hit
---@return string
function M.name(hit)
  local name = hit.item.location and short_id(hit):match("::(.+)$") or hit.parent and hit.item.title or ""
  return M.printable(name)
end

---Return the evidence of a result, and the number of the further places of its file.
---@param hit scry.Hit
---@return string
local function evidence_of(hit)
  local evidence, more = hit.item.evidence or "", hit.item.more_in_file or 0
  local words = evidence ~= "" and ("(%s)"):format(evidence) or ""
  return vim.trim((more > 0 and ("+%d "):format(more) or "") .. words)
end

---@param text string
---@param width integer
---@return string
local function padded(text, width)
  return text .. (" "):rep(width - vim.api.nvim_strwidth(text))
end

---Truncate a text, at its start where its end is the most specific part.
---@param text string
---@param width integer
---@param at_start? boolean
---@return string
function M.truncate(text, width, at_start)
  if vim.api.nvim_strwidth(text) <= width then
    return text
  end
  local characters, visible, used = vim.fn.split(text, "\\zs"), {}, 1 ---@type string[], string[], integer
  for index = 1, #characters do
    local character = characters[at_start and #characters + 1 - index or index]
    used = used + vim.api.nvim_strwidth(character)
    if used > width then
      break
    end
    table.insert(visible, at_start and 1 or #visible + 1, character)
  end
  return at_start and "…" .. table.concat(visible) or table.concat(visible) .. "…"
end

---@param texts string[]
---@return integer
local function widest(texts)
  local width = 0
  for _, text in ipairs(texts) do
    width = math.max(width, vim.api.nvim_strwidth(text))
  end
  return width
end

---@class scry.Columns the widths of the columns, in cells; 0 for one that is left out.
---@field location integer
---@field name integer
---@field evidence integer
---@field snippet integer

---Return the widths of the columns: paths and lines first, then names, evidence and snippets.
---@param available integer
---@param locations string[]
---@param names string[]
---@param evidence string[]
---@return scry.Columns
local function columns_of(available, locations, names, evidence)
  local name = widest(names)
  local location = math.max(1, math.min(widest(locations), available - math.min(name, MIN_NAME_WIDTH) - 1))
  local reserved = math.min(widest(evidence), RESERVED_EVIDENCE_WIDTH) + 1
  local room = available - location - 1
  name = math.max(0, math.min(name, math.max(room - reserved, MIN_NAME_WIDTH), room))
  local left = available - location - (name > 0 and name + 1 or 0) - 1
  local shown = math.min(widest(evidence), left >= MIN_EVIDENCE_WIDTH and left or 0)
  local snippet = left - shown - 1
  return {
    location = location,
    name = name,
    evidence = shown,
    snippet = snippet >= MIN_SNIPPET_WIDTH and snippet or 0,
  }
end

---Return the hits as lines of at most `width` cells, aligned in columns. A line is a list of parts.
---@param hits scry.Hit[]
---@param width integer
---@return scry.Part[][]
function M.lines(hits, width)
  local tags, ranks = {}, {} ---@type string[], string[]
  for index, hit in ipairs(hits) do
    tags[index] = hit.parent and "" or M.tag(hit)
    ranks[index] = hit.parent and "" or hit.item.rank .. "."
  end
  local locations = vim.tbl_map(M.location, hits) ---@type string[]
  local names = vim.tbl_map(M.name, hits) ---@type string[]
  local evidence = vim.tbl_map(evidence_of, hits) ---@type string[]
  local rank_width, tag_width = widest(ranks), widest(tags)
  local columns = columns_of(width - rank_width - tag_width - 2, locations, names, evidence)
  local lines = {} ---@type scry.Part[][]
  for index, hit in ipairs(hits) do
    local snippet = columns.snippet > 0 and M.truncate(M.printable(hit.item.snippet), columns.snippet) or ""
    local words = columns.evidence > 0 and M.truncate(evidence[index], columns.evidence) or ""
    lines[index] = {
      { ("%" .. rank_width .. "s"):format(ranks[index]), "ScryRank" },
      { " " },
      { padded(tags[index], tag_width), "ScryTag" },
      { " " },
      { padded(M.truncate(locations[index], columns.location, true), columns.location), "ScryPlace" },
      { columns.name > 0 and " " .. padded(M.truncate(names[index], columns.name), columns.name) or "", "ScryName" },
      { words ~= "" and " " .. (snippet ~= "" and padded(words, columns.evidence) or words) or "", "ScryEvidence" },
      { snippet ~= "" and (" "):rep(words == "" and columns.evidence + 2 or 1) .. snippet or "", "ScrySnippet" },
    }
  end
  return lines
end

---@param parts scry.Part[]
---@return string
function M.text(parts)
  local texts = {} ---@type string[]
  for _, part in ipairs(parts) do
    texts[#texts + 1] = part[1]
  end
  return (table.concat(texts):gsub("%s+$", ""))
end

return M
