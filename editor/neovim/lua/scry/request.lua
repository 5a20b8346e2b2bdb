---Sends requests to the sidecar. Each is answered exactly once, even when the sidecar ends, unless it is cancelled.

local client = require("scry.client")
local instances = require("scry.instances")

local M = {}

---Error codes of requests that the plugin, or a newer question of the same picker, has cancelled.
local CANCELLED = { [-32800] = true, [-32801] = true }

---@class scry.Call a request.
---@field root string
---@field method string
---@field params table
---@field done fun(failure?: scry.Failure, result?: any, encoding?: string)
---@field is_done boolean whether it was answered or cancelled.
---@field tries integer number of times that it may still be sent.
---@field cancel? fun()

local pending = {} ---@type table<integer, table<scry.Call, true>>

---@param call scry.Call
---@param failure? scry.Failure
---@param result? any
---@param encoding? string
local function finish(call, failure, result, encoding)
  if call.is_done then
    return
  end
  call.is_done = true
  if not (failure and CANCELLED[failure.code]) then
    call.done(failure, result, encoding)
  end
end

---@param call scry.Call
local function send(call)
  call.tries = call.tries - 1
  client.with(call.root, function(failure, to)
    if call.is_done then
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

-- Neovim does not answer the pending requests of a process that ended. They are sent once more where that is allowed.
client.on_end(function(id)
  local unanswered = pending[id] or {}
  pending[id] = nil
  for call in pairs(unanswered) do
    if call.tries > 0 and not call.is_done then
      send(call)
    else
      finish(call, { message = "the sidecar ended before it answered." })
    end
  end
end)

---Milliseconds between two looks at whether the sidecar has opened a project, and their number.
local OPEN_MS, MAX_LOOKS = 100, 300

---Call a function once the sidecar of a project has opened its folder and told its state: before, it refuses requests
---other than questions. After thirty seconds the function is called in any case.
---@param root string
---@param run fun()
function M.when_open(root, run)
  ---@param looks integer
  local function look(looks)
    local instance = instances.peek(root)
    if looks == 0 or (instance and (instance.status or instance.failure)) then
      return run()
    end
    vim.defer_fn(function()
      look(looks - 1)
    end, OPEN_MS)
  end
  client.with(root, function(failure)
    look(failure and 0 or MAX_LOOKS)
  end)
end

---Send a request to the sidecar of a project. Return a function that cancels it, after which `done` is not called.
---@param root string
---@param method string
---@param params table
---@param done fun(failure?: scry.Failure, result?: any, encoding?: string)
---@param options? { once: boolean } once: the request is not repeated when the sidecar ends
---@return fun() cancel
function M.send(root, method, params, done, options)
  local tries = options and options.once and 1 or 2
  ---@type scry.Call
  local call = { root = root, method = method, params = params, done = done, is_done = false, tries = tries }
  send(call)
  return function()
    if not call.is_done then
      call.is_done = true
      if call.cancel then
        call.cancel()
      end
    end
  end
end

return M
