---Reports uses of results to the sidecar, which logs them to evaluate search. The user does not wait for it.

local answers = require("scry.answers")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")

local M = {}

local count = 0

---Return a unique id of a use, by which a use that is repeated after a crash counts once.
---@return string
local function act_id()
  count = count + 1
  return ("nvim-%d-%d-%d"):format(vim.uv.os_getpid(), vim.uv.hrtime(), count)
end

---Report a use of a result.
---@param hit scry.Hit
---@param how "jump"|"open"|"copy"|"detail"
---@param done? fun(failure?: scry.Failure, recorded?: scry.protocol.Recorded)
function M.send(hit, how, done)
  ---@type scry.protocol.UseParams
  local params = vim.tbl_extend("error", answers.reference(hit), { how = how, act_id = act_id() })
  answers.set_used(hit)
  request.send(hit.root, protocol.methods.use, params, done or function() end)
end

return M
