---Formats results as aligned columns: rank, tag, location, evidence and snippet. The sidecar provides the texts.

require("scry.highlights")

local M = {}

---@alias scry.Part [string, string?] a part of a line, with its highlight group

---The least width of the location's column, in cells.
local MIN_LOCATION_WIDTH = 20

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

---Return the doc_id of a result without the project and the `./`, or the title and line of a further place. A commit is
---shortened to seven digits.
---@param hit scry.Hit
---@return string
function M.location(hit)
  if hit.parent then
    return ("↳ %s:%d"):format(M.printable(hit.item.title), hit.item.location.range.start.line + 1)
  end
  local inside = hit.item.doc_id:sub(#(project_of(hit.item) or "") + 1)
  return M.printable((inside:gsub("^%./", ""):gsub("(commit:%x%x%x%x%x%x%x)%x+$", "%1")))
end

---@param text string
---@param width integer
---@return string
local function padded(text, width)
  return text .. (" "):rep(width - vim.api.nvim_strwidth(text))
end

---Truncate a text at its start, since the end of a location is the most specific part.
---@param text string
---@param width integer
---@return string
local function truncate_start(text, width)
  if vim.api.nvim_strwidth(text) <= width then
    return text
  end
  local visible, used = {}, 1 ---@type string[], integer
  local characters = vim.fn.split(text, "\\zs")
  for index = #characters, 1, -1 do
    used = used + vim.api.nvim_strwidth(characters[index])
    if used > width then
      break
    end
    table.insert(visible, 1, characters[index])
  end
  return "…" .. table.concat(visible)
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

---Return the hits as lines of at most `width` cells, aligned in columns. A line is a list of parts.
---@param hits scry.Hit[]
---@param width integer
---@return scry.Part[][]
function M.lines(hits, width)
  local tags = vim.tbl_map(function(hit)
    return hit.parent and "" or M.tag(hit)
  end, hits) ---@type string[]
  local locations = vim.tbl_map(M.location, hits) ---@type string[]
  local evidence = vim.tbl_map(function(hit)
    local more = hit.item.more_in_file or 0
    local words = hit.item.evidence ~= "" and hit.item.evidence and ("(%s)"):format(hit.item.evidence) or ""
    return vim.trim(words .. (more > 0 and (" +%d more"):format(more) or ""))
  end, hits) ---@type string[]
  local ranks = vim.tbl_map(function(hit)
    return hit.parent and "" or hit.item.rank .. "."
  end, hits) ---@type string[]
  local rank_width, tag_width = widest(ranks), widest(tags)
  local available = width - rank_width - tag_width - 2
  local evidence_width = widest(evidence)
  local location_width = math.min(widest(locations), math.max(available - evidence_width - 1, MIN_LOCATION_WIDTH))
  local snippet_width = available - location_width - evidence_width - 2
  local lines = {} ---@type scry.Part[][]
  for index, hit in ipairs(hits) do
    local snippet = snippet_width >= MIN_SNIPPET_WIDTH and M.printable(hit.item.snippet) or ""
    lines[index] = {
      { ("%" .. rank_width .. "s"):format(ranks[index]), "ScryRank" },
      { " " },
      { padded(tags[index], tag_width), "ScryTag" },
      { " " },
      { padded(truncate_start(locations[index], location_width), location_width), "ScryPlace" },
      { " " },
      { snippet ~= "" and padded(evidence[index], evidence_width) or evidence[index], "ScryEvidence" },
      { snippet ~= "" and " " .. snippet or "", "ScrySnippet" },
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
