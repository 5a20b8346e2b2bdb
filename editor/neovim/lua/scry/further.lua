---The list of a picker: an answer's results, and below a result the further places of its file where a key has listed
---them.

local notify = require("scry.notify")

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
---@field refresh? fun(doc_id?: string) fills the picker again; doc_id: the entry that had the focus.
---@field is_open? fun(): boolean whether the picker is still open.
---@field focused? fun(): scry.Hit? the entry that has the focus.
local Listing = {}
Listing.__index = Listing

---@return scry.Listing
function M.new()
  return setmetatable({ open = {}, again = false }, Listing)
end

---@class scry.OpenPicker a picker that shows a listing.
---@field is_open fun(): boolean
---@field focused fun(): scry.Hit? the entry that has the focus.
---@field refill fun(index: fun(): integer) fills it again; index: of the entry that gets the focus.
---@field show_header fun(text: string)

---Fill a picker again as the index grows, and show messages in its header.
---@param picker scry.OpenPicker
function Listing:attach(picker)
  self.is_open, self.focused = picker.is_open, picker.focused
  self.refresh = function(doc_id)
    picker.refill(function()
      return self:index_of(doc_id)
    end)
  end
  notify.attach(function(text)
    if picker.is_open() then
      picker.show_header(text)
    end
    return picker.is_open()
  end)
end

---Milliseconds between two requests for the same question while the index is being made.
local REFRESH_MS = 1000

---Ask the same question again, while the picker is open, after an answer from an index that is being made.
---@param answer scry.Answer
function Listing:keep_fresh(answer)
  if not (answer.is_partial and self.refresh) then
    return
  end
  vim.defer_fn(function()
    if self.answer == answer and self.is_open() then
      self.again = false
      self.refresh(self:moved_to())
    end
  end, REFRESH_MS)
end

---Return the doc_id of the entry that has the focus, if the user has moved to it: nil for the first entry, so that the
---focus stays at the best result as better ones come.
---@return string?
function Listing:moved_to()
  local hit, first = self.focused and self.focused(), self:hits()[1]
  return hit and first and hit.item.doc_id ~= first.item.doc_id and hit.item.doc_id or nil
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
    if answer then
      self:keep_fresh(answer)
    end
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

---Return the index of the listed entry with a doc_id; 1 where it is not listed.
---@param doc_id? string
---@return integer
function Listing:index_of(doc_id)
  for index, hit in ipairs(self:hits()) do
    if hit.item.doc_id == doc_id then
      return index
    end
  end
  return 1
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
