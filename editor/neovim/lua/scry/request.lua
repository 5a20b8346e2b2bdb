---Requests to the sidecar: answered once, on the main loop, also when the sidecar dies; and cancelled for good.

local client = require("scry.client")

local M = {}

---Codes of answers that nobody waits for any more: cancelled by us, or by a newer question of the same picker.
local CANCELLED = { [-32800] = true, [-32801] = true }

---@class scry.Call
---@field root string
---@field method string
---@field params table
---@field done fun(failure?: scry.Failure, result?: any, encoding?: string)
---@field over boolean
---@field tries integer how often it may still be sent.
---@field cancel? fun()

local pending = {} ---@type table<integer, table<scry.Call, true>>

---@param call scry.Call
---@param failure? scry.Failure
---@param result? any
---@param encoding? string
local function finish(call, failure, result, encoding)
  if call.over then
    return
  end
  call.over = true
  if not (failure and CANCELLED[failure.code]) then
    call.done(failure, result, encoding)
  end
end

---@param call scry.Call
local function send(call)
  call.tries = call.tries - 1
  client.with(call.root, function(failure, to)
    if call.over then
      return
    elseif not to then
      return finish(call, failure)
    end
    pending[to.id] = pending[to.id] or {}
    pending[to.id][call] = true
    local sent, id = client.call(to, "request", call.method, call.params, function(problem, result)
      pending[to.id][call] = nil
      finish(call, problem and { message = problem.message, code = problem.code }, result, to.offset_encoding)
    end, 0)
    call.cancel = function()
      pending[to.id][call] = nil
      if sent then
        client.call(to, "cancel_request", id)
      end
    end
  end)
end

-- Neovim never answers what was asked of a process that ended. What can be asked again is, once.
client.on_end(function(id)
  local lost = pending[id] or {}
  pending[id] = nil
  for call in pairs(lost) do
    if call.tries > 0 and not call.over then
      send(call)
    else
      finish(call, { message = "the sidecar ended before it answered." })
    end
  end
end)

---Ask the sidecar of a project. Returns what cancels the request; `done` is not called after that.
---@param root string
---@param method string
---@param params table
---@param done fun(failure?: scry.Failure, result?: any, encoding?: string)
---@param options? { once: boolean } once: not asked again when the sidecar dies over it
---@return fun() cancel
function M.send(root, method, params, done, options)
  local tries = options and options.once and 1 or 2
  ---@type scry.Call
  local call = { root = root, method = method, params = params, done = done, over = false, tries = tries }
  send(call)
  return function()
    if not call.over then
      call.over = true
      if call.cancel then
        call.cancel()
      end
    end
  end
end

return M
