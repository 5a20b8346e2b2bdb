---Results as aligned lines: rank, tag, place, evidence, snippet. The words are the sidecar's; here they get columns.

require("scry.highlights")

local M = {}

---@alias scry.Part [string, string?] a piece of a line, with its highlight group

---Cells that the place gets at least, however much evidence there is.
local NARROWEST_PLACE = 20

---Cells under which a snippet is not worth a column.
local NARROWEST_SNIPPET = 16

---Return foreign text as one printable line.
---@param text string
---@return string
function M.printable(text)
  return vim.fn.strtrans((vim.trim(text):gsub("%s+", " ")))
end

---The project that a doc_id begins with, where the question named projects.
---@param item scry.protocol.ResultItem
---@return string? prefix with its colon
local function project_of(item)
  local prefix = item.project .. ":"
  return item.project ~= "" and vim.startswith(item.doc_id, prefix) and prefix or nil
end

---The tag: what it is, and from which project, where the question named projects.
---@param hit scry.Hit
---@return string
function M.tag(hit)
  local item = hit.item
  return project_of(item) and ("[%s:%s]"):format(item.content_type, M.printable(item.project))
    or ("[%s]"):format(item.content_type)
end

---Its name in short: without the project and the `./`, a commit by seven digits.
---@param hit scry.Hit
---@return string
function M.place(hit)
  local inside = hit.item.doc_id:sub(#(project_of(hit.item) or "") + 1)
  return M.printable((inside:gsub("^%./", ""):gsub("(commit:%x%x%x%x%x%x%x)%x+$", "%1")))
end

---@param text string
---@param width integer
---@return string
local function padded(text, width)
  return text .. (" "):rep(width - vim.api.nvim_strwidth(text))
end

---The end of a text that fits, because a place tells most at its end.
---@param text string
---@param width integer
---@return string
local function tail(text, width)
  if vim.api.nvim_strwidth(text) <= width then
    return text
  end
  local kept, used = {}, 1 ---@type string[], integer
  local characters = vim.fn.split(text, "\\zs")
  for index = #characters, 1, -1 do
    used = used + vim.api.nvim_strwidth(characters[index])
    if used > width then
      break
    end
    table.insert(kept, 1, characters[index])
  end
  return "…" .. table.concat(kept)
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

---The hits as lines of at most `width` cells, each a list of parts, in columns.
---@param hits scry.Hit[]
---@param width integer
---@return scry.Part[][]
function M.lines(hits, width)
  local tags = vim.tbl_map(M.tag, hits) ---@type string[]
  local places = vim.tbl_map(M.place, hits) ---@type string[]
  local evidence = vim.tbl_map(function(hit)
    return hit.item.evidence ~= "" and hit.item.evidence and ("(%s)"):format(hit.item.evidence) or ""
  end, hits) ---@type string[]
  local rank_width, tag_width = #tostring(#hits) + 1, widest(tags)
  local room = width - rank_width - tag_width - 2
  local evidence_width = widest(evidence)
  local place_width = math.min(widest(places), math.max(room - evidence_width - 1, NARROWEST_PLACE))
  local snippet_width = room - place_width - evidence_width - 2
  local lines = {} ---@type scry.Part[][]
  for index, hit in ipairs(hits) do
    local snippet = snippet_width >= NARROWEST_SNIPPET and M.printable(hit.item.snippet) or ""
    lines[index] = {
      { ("%" .. rank_width .. "s"):format(hit.item.rank .. "."), "ScryRank" },
      { " " },
      { padded(tags[index], tag_width), "ScryTag" },
      { " " },
      { padded(tail(places[index], place_width), place_width), "ScryPlace" },
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
