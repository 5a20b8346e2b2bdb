---Lists earlier questions of a project, from the log, so that they can be asked again.

local notify = require("scry.notify")
local root_of = require("scry.root")
local select = require("scry.pickers.select")

local M = {}

---Earlier questions, the newest first, each once.
local QUESTIONS = "SELECT query, mode, max(at) AS newest FROM queries "
  .. "WHERE mode IN ('find', 'recent') AND trim(query) <> '' GROUP BY query, mode "
  .. "ORDER BY newest DESC, query LIMIT 200"

---@class scry.Asked an earlier question.
---@field query string
---@field mode string
---@field at string

---@param root string
---@param done fun(asked: scry.Asked[])
local function read(root, done)
  require("scry.sidecar").run({ "log", "--json", "--root", root, "--sql", QUESTIONS }, root, function(failure, output)
    local ok, answer = pcall(vim.json.decode, output or "")
    if not (ok and answer.rows) then
      return notify.error(failure or vim.trim(output or ""))
    end
    done(vim.tbl_map(function(row)
      return { query = row[1], mode = row[2], at = tostring(row[3]) }
    end, answer.rows))
  end)
end

---Let the user choose an earlier question, and ask it again.
function M.open()
  local root = root_of.of()
  read(root, function(asked)
    if #asked == 0 then
      return notify.info("nothing was asked in this project yet, or the log is off.")
    end
    select.choose_item(asked, {
      prompt = "Scry: ask again",
      text = function(each)
        return each.mode == "find" and each.query or ("%s: %s"):format(each.mode, each.query)
      end,
    }, function(each)
      require("scry")[each.mode](each.query)
    end)
  end)
end

return M
