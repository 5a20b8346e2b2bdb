---The adapter for the quickfix list: one request, one list, without `vim.ui.select`.

local notify = require("scry.notify")
local quickfix = require("scry.quickfix")

---@type scry.Picker
local M = { name = "quickfix" }

function M.is_available()
  return true
end

function M.open(source)
  require("scry.pickers.select").finish(source, function(answer, query)
    quickfix.fill(answer.hits, source.live and query or source.title)
    if answer.notice ~= "" then
      notify.info(answer.notice)
    end
  end)
end

return M
