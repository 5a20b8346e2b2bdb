---The list of a picker: an answer's results, and below a result the further places of its file where a key has listed
---them.

local M = {}

---Return the further places of a result's file, in the form of results; none for a further place.
---@param hit scry.Hit
---@return scry.Hit[]
function M.of(hit)
  local further = {} ---@type scry.Hit[]
  for _, place in ipairs(hit.parent and {} or hit.item.further or {}) do
    local item = vim.tbl_extend("force", hit.item, place, {
      contributions = {},
      adjustments = {},
      snippet = "",
      sources = {},
      evidence = "",
      more_in_file = 0,
      further = {},
    })
    further[#further + 1] = vim.tbl_extend("force", hit, { item = item, parent = hit })
  end
  return further
end

---@class scry.Listing
---@field answer? scry.Answer the newest one.
---@field open table<string, true> doc_ids of the results whose further places are listed.
---@field query? string the newest one.
---@field again boolean whether the next request is answered by the newest answer.
local Listing = {}
Listing.__index = Listing

---@return scry.Listing
function M.new()
  return setmetatable({ open = {}, again = false }, Listing)
end

---Send a request, unless the list is only drawn again.
---@param source scry.Source
---@param query string
---@param done fun(failure?: scry.Failure, answer?: scry.Answer)
---@return fun() cancel
function Listing:ask(source, query, done)
  local is_drawn_again = self.again and self.query == query
  self.again, self.query = false, query
  if is_drawn_again and self.answer then
    done(nil, self.answer)
    return function() end
  end
  return source.ask(query, function(failure, answer)
    self.answer = answer or self.answer
    done(failure, answer)
  end)
end

---Return the results of the newest answer, each followed by the further places that are listed.
---@return scry.Hit[]
function Listing:hits()
  local hits = {} ---@type scry.Hit[]
  for _, hit in ipairs(self.answer and self.answer.hits or {}) do
    hits[#hits + 1] = hit
    if self.open[hit.item.doc_id] then
      vim.list_extend(hits, M.of(hit))
    end
  end
  return hits
end

---List the further places of the file of a result, or of the result that a further place belongs to, or hide them
---again. The picker then draws its list again: the next request is answered by the newest answer.
---@param hit scry.Hit
---@return integer? index that gets the focus: the first further place, or the result; nil where there are none
function Listing:toggle(hit)
  local result = hit.parent or hit
  local first, doc_id = M.of(result)[1], result.item.doc_id
  if not first then
    return nil
  end
  self.open[doc_id] = not self.open[doc_id] or nil
  self.again = true
  local focus = self.open[doc_id] and first.item.doc_id or doc_id
  for index, each in ipairs(self:hits()) do
    if each.item.doc_id == focus then
      return index
    end
  end
end

return M
