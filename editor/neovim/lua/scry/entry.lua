---Formats results as aligned columns: rank, tag, name, path and line, evidence and snippet. The sidecar provides the
---texts. Where the window is narrow, the snippet is left out first, then the evidence is cut, then folders are left out
---from the left, then the names are cut. The file's name and the line are cut last.

require("scry.highlights")

local position = require("scry.position")

local M = {}

---@alias scry.Part [string, string?] a part of a line, with its highlight group

---The width of the names' column that folders give way to, in cells, if a name is as long.
local MIN_NAME_WIDTH = 16

---The greatest width of the names' column, in cells, unless nothing else needs the room.
local MAX_NAME_WIDTH = 48

---The width that names and folders leave to the evidence, in cells, if it is as long; and the least, below which it is
---left out.
local RESERVED_EVIDENCE_WIDTH, MIN_EVIDENCE_WIDTH = 9, 8

---The least width of the snippet's column, in cells. Below it snippets are left out.
local MIN_SNIPPET_WIDTH = 16

---The confidence below which a result is a weak match, as in the sidecar's evidence.
local WEAK_CONFIDENCE = 0.1

---The sign of a weak match, before its name.
M.WEAK_SIGN = "~"

---Return untrusted text as one printable line.
---@param text string
---@return string
function M.printable(text)
  return vim.fn.strtrans((vim.trim(text):gsub("%s+", " ")))
end

---Number of bytes of a long text that a list shows at most.
local MAX_BEGINNING = 2000

---Return the beginning of an untrusted text as one printable line.
---@param text string
---@return string
function M.beginning(text)
  if #text > MAX_BEGINNING then
    text = text:sub(1, MAX_BEGINNING):gsub("[\192-\255][\128-\191]*$", "") .. "…" -- a character may be cut
  end
  return M.printable(text)
end

---Return the project prefix of a doc_id; nil where the question named no projects.
---@param item scry.protocol.ResultItem
---@return string? prefix with its colon
local function project_of(item)
  local prefix = item.project .. ":"
  return item.project ~= "" and vim.startswith(item.doc_id, prefix) and prefix or nil
end

---Number of digits by which a commit is shown.
local SHA_LENGTH = 7

---Return the tag of a result: its content type, its project where the question named projects, and for a result of the
---team the commit.
---@param hit scry.Hit
---@return string
function M.tag(hit)
  local item = hit.item
  local commit = (item.commit or "") ~= "" and "@" .. item.commit:sub(1, SHA_LENGTH) or ""
  return project_of(item) and ("[%s:%s%s]"):format(item.content_type, M.printable(item.project), commit)
    or ("[%s]"):format(item.content_type)
end

---Return the doc_id of a result without its project.
---@param hit scry.Hit
---@return string
function M.own_id(hit)
  return hit.item.doc_id:sub(#(project_of(hit.item) or "") + 1)
end

---Return the doc_id of a result without the project and the `./`. A commit is shortened to seven digits.
---@param hit scry.Hit
---@return string
local function short_id(hit)
  return (M.own_id(hit):gsub("^%./", ""):gsub("(commit:%x%x%x%x%x%x%x)%x+$", "%1"))
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
  return M.printable(("%s:%d"):format(vim.uri_decode(path), position.target(location).line + 1))
end

---Return the name of a result: that of the symbol or section with what contains it, the subject of a commit, the
---statement of a belief, the name of a whole file.
---@param hit scry.Hit
---@return string
function M.name(hit)
  local name = hit.item.location and not hit.parent and short_id(hit):match("::(.+)$")
  return M.printable(name or hit.item.title)
end

---Return whether a result is a weak match: it hardly answers the question.
---@param hit scry.Hit
---@return boolean
function M.is_weak(hit)
  return not hit.parent and (hit.item.confidence or 1) < WEAK_CONFIDENCE
end

---Return the evidence of a result, and the number of the further places of its file.
---@param hit scry.Hit
---@return string
function M.evidence(hit)
  local evidence, more = hit.item.evidence or "", hit.item.more_in_file or 0
  evidence = M.is_weak(hit) and evidence:gsub("^weak | ", "") or evidence -- the sign says so
  local words = evidence ~= "" and ("(%s)"):format(evidence) or ""
  return vim.trim((more > 0 and ("+%d "):format(more) or "") .. words)
end

---Return the words that any oracle matched, in lower case.
---@param hit scry.Hit
---@return string[]
function M.words(hit)
  local words = {} ---@type table<string, true>
  for _, contribution in pairs((hit.parent or hit).item.contributions) do
    for _, word in ipairs(contribution.matches or {}) do
      words[word:lower():gsub("…$", "")] = true -- the sidecar marks the beginning of a word so
    end
  end
  return vim.tbl_keys(words)
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

---Leave out folders from the left until a path and line fit into a width.
---@param place string
---@param width integer
---@return string
function M.shorten(place, width)
  local rest, marked = place, place
  while vim.api.nvim_strwidth(marked) > width do
    local after = rest:match("^[^/]*/(.+)$")
    if not after then
      return M.truncate(rest, width, true)
    end
    rest, marked = after, "…/" .. after
  end
  return marked
end

---Return the least width of a path and line: that of the file's name, the line and the sign of omitted folders.
---@param place string
---@return integer
local function least_width(place)
  local file = place:match("/([^/]+:%d+)$")
  return vim.api.nvim_strwidth(file and "…/" .. file or place)
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
---@field name integer
---@field place integer
---@field evidence integer
---@field snippet integer

---Return the widths of the columns: the files' names and lines first, then a part of the names, a part of the evidence,
---whole names, whole paths, all of the evidence, and snippets.
---@param available integer
---@param names string[]
---@param places string[]
---@param evidence string[]
---@return scry.Columns
local function columns_of(available, names, places, evidence)
  local whole_place, whole_evidence = widest(places), widest(evidence)
  local whole_name = math.min(widest(names), math.max(MAX_NAME_WIDTH, math.floor(available / 3)))
  local place = 0
  for _, text in ipairs(places) do
    place = math.max(place, least_width(text))
  end
  place = math.max(1, math.min(place, available))
  local name = math.max(0, math.min(whole_name, MIN_NAME_WIDTH, available - place - 1))
  local left = available - place - (name > 0 and name + 1 or 0) - math.min(whole_evidence, RESERVED_EVIDENCE_WIDTH) - 1
  local more = math.max(0, math.min(left, whole_name - name))
  name, left = name + more, left - more
  more = math.max(0, math.min(left, whole_place - place))
  place = place + more
  left = available - place - (name > 0 and name + 1 or 0) - 1
  local shown = math.min(whole_evidence, left >= MIN_EVIDENCE_WIDTH and left or 0)
  local snippet = left - shown - 1
  return { name = name, place = place, evidence = shown, snippet = snippet >= MIN_SNIPPET_WIDTH and snippet or 0 }
end

---Return whether a word of an identifier or of prose begins at a byte of a text.
---@param text string
---@param byte integer
---@return boolean
local function begins_word(text, byte)
  local before, first = text:sub(byte - 1, byte - 1), text:sub(byte, byte)
  return not before:match("%a") or (before:match("%l") ~= nil and first:match("%u") ~= nil)
end

---Split a text into parts, so that the matched words are highlighted.
---@param text string
---@param group string of the rest
---@param words string[] in lower case
---@return scry.Part[]
local function marked(text, group, words)
  local is_marked, lower = {}, text:lower() ---@type table<integer, true>, string
  for _, word in ipairs(words) do
    local first, last = lower:find(word, 1, true)
    while first and last do
      for byte = begins_word(text, first) and first or last + 1, last do
        is_marked[byte] = true
      end
      first, last = lower:find(word, last + 1, true)
    end
  end
  local parts, start = {}, 1 ---@type scry.Part[], integer
  for byte = 1, #text do
    if byte == #text or is_marked[byte] ~= is_marked[byte + 1] then
      parts[#parts + 1] = { text:sub(start, byte), is_marked[byte] and "ScryListMatch" or group }
      start = byte + 1
    end
  end
  return parts
end

---@class scry.Cells the texts of a line, in the widths of their columns.
---@field rank string
---@field tag string
---@field sign string of a weak match
---@field name string
---@field place string
---@field evidence string
---@field snippet string

---Return a line as a list of parts.
---@param cells scry.Cells
---@param columns scry.Columns
---@param words string[]
---@return scry.Part[]
local function line_of(cells, columns, words)
  local parts = { { cells.rank, "ScryRank" }, { " " }, { cells.tag, "ScryTag" }, { " " } } ---@type scry.Part[]
  if cells.sign ~= "" then
    vim.list_extend(parts, { { cells.sign, "ScryWeak" }, { " " } })
  end
  ---@param text string
  ---@param width integer
  ---@param group string
  local function add(text, width, group)
    vim.list_extend(parts, marked(text, group, group == "ScryEvidence" and {} or words))
    parts[#parts + 1] = { (" "):rep(width - vim.api.nvim_strwidth(text) + 1) }
  end
  if columns.name > 0 then
    add(cells.name, columns.name, "ScryName")
  end
  add(cells.place, columns.place, "ScryPlace")
  if columns.evidence > 0 then
    add(cells.evidence, columns.evidence, "ScryEvidence")
  end
  if columns.snippet > 0 then
    add(cells.snippet, 0, "ScrySnippet")
  end
  while #parts > 0 and parts[#parts][1]:match("^%s*$") do
    parts[#parts] = nil
  end
  return parts
end

---Return the hits as lines of at most `width` cells, aligned in columns. A line is a list of parts.
---@param hits scry.Hit[]
---@param width integer
---@return scry.Part[][]
function M.lines(hits, width)
  local tags, ranks, signs = {}, {}, {} ---@type string[], string[], string[]
  for index, hit in ipairs(hits) do
    tags[index] = hit.parent and "" or M.tag(hit)
    ranks[index] = hit.parent and "" or hit.item.rank .. "."
    signs[index] = M.is_weak(hit) and M.WEAK_SIGN or ""
  end
  local names = vim.tbl_map(M.name, hits) ---@type string[]
  local places = vim.tbl_map(M.location, hits) ---@type string[]
  local evidence = vim.tbl_map(M.evidence, hits) ---@type string[]
  local rank_width, tag_width, sign_width = widest(ranks), widest(tags), widest(signs)
  local before = rank_width + tag_width + 2 + (sign_width > 0 and sign_width + 1 or 0)
  local columns = columns_of(width - before, names, places, evidence)
  local lines = {} ---@type scry.Part[][]
  for index, hit in ipairs(hits) do
    lines[index] = line_of({
      rank = ("%" .. rank_width .. "s"):format(ranks[index]),
      tag = padded(tags[index], tag_width),
      sign = padded(signs[index], sign_width),
      name = M.truncate(names[index], columns.name),
      place = M.shorten(places[index], columns.place),
      evidence = columns.evidence > 0 and M.truncate(evidence[index], columns.evidence) or "",
      snippet = columns.snippet > 0 and M.truncate(M.printable(hit.item.snippet), columns.snippet) or "",
    }, columns, M.words(hit))
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
