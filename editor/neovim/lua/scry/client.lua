---The sidecar's processes, one a project: started by the first use, started again after a crash, up to a limit.
---
---Both ways lead here: `vim.lsp.enable("scry")` by way of lsp/scry.lua, and the first `:Scry` in a project.

local attach = require("scry.attach")
local config = require("scry.config")
local handlers = require("scry.handlers")
local instances = require("scry.instances")
local notify = require("scry.notify")
local protocol = require("scry.generated.protocol")
local root_of = require("scry.root")
local sidecar = require("scry.sidecar")

local M = {}

---Milliseconds until the first new start after a crash; each further one waits that much longer.
local BACKOFF = 200

---Seconds in which crashes count together.
local WINDOW = 60

---@class scry.Failure why a request was not answered.
---@field message string words for a person.
---@field code? integer of JSON-RPC; absent where the sidecar did not answer at all.

local ended = {} ---@type (fun(id: integer))[]
local exits = {} ---@type table<string, { code: integer, signal: integer }> by root, how the last one ended
local start ---@type fun(instance: scry.Instance)

---@param instance scry.Instance
---@param failure? scry.Failure
---@param client? vim.lsp.Client
local function answer_waiting(instance, failure, client)
  local waiting = instance.waiting
  instance.waiting = {}
  for _, done in ipairs(waiting) do
    done(failure, client)
  end
end

---@param instance scry.Instance
---@param why string
local function give_up(instance, why)
  instance.failure = why
  notify.error(why)
  answer_waiting(instance, { message = why })
end

---@param client vim.lsp.Client
---@param name string
---@param ... any
---@return any
---@return any
function M.call(client, name, ...)
  if vim.fn.has("nvim-0.11") == 1 then
    return client[name](client, ...)
  end
  return client[name](...)
end

---What is wrong with the protocol of the sidecar that answered; nil when it fits.
---@param result lsp.InitializeResult
---@return string?
local function mismatch(result)
  local theirs = vim.tbl_get(result, "capabilities", "experimental", "scry", "protocol")
  if theirs == protocol.version then
    return nil
  end
  if type(theirs) ~= "number" then
    return "what `cmd` started is a language server, but not Scry's sidecar. Correct `cmd` in setup()."
  end
  local text = "the plugin speaks protocol %d, the sidecar %d. Update the %s, then :Scry restart."
  return text:format(protocol.version, theirs, theirs < protocol.version and "sidecar" or "plugin")
end

---@param client vim.lsp.Client
---@param result lsp.InitializeResult
local function on_init(client, result)
  local instance = instances.of(client.config.root_dir)
  instance.id = client.id
  local problem = mismatch(result)
  if problem then
    instance.ending = true
    M.call(client, "stop")
    return give_up(instance, problem)
  end
  instance.ready, instance.failure = true, nil
  vim.schedule(attach.all)
  answer_waiting(instance, nil, client)
  instances.announce()
end

---@param instance scry.Instance
---@param how string
local function on_crash(instance, how)
  local now = os.time()
  instance.crashes = vim.tbl_filter(function(at)
    return now - at < WINDOW
  end, instance.crashes)
  table.insert(instance.crashes, now)
  if #instance.crashes <= config.values.restarts then
    instance.planned = true
    vim.defer_fn(function()
      if instance.planned then
        start(instance)
      end
    end, BACKOFF * #instance.crashes)
    return
  end
  local command = sidecar.find()
  local reason = command and require("scry.log").last_words(command.argv[1])
  local text =
    "the sidecar ended by itself %d times within a minute (%s%s). :Scry log shows more, :Scry restart tries again."
  give_up(instance, text:format(#instance.crashes, how, reason and ": " .. reason or ""))
end

---@param _code integer what Neovim was told
---@param _signal integer
---@param id integer
local function on_exit(_code, _signal, id)
  local instance = instances.of_client(id)
  if not instance or vim.v.exiting ~= vim.NIL then
    return
  end
  local code, signal = exits[instance.root].code, exits[instance.root].signal
  local meant = instance.ending or (code == 0 and (signal == 0 or signal == 15))
  instance.id, instance.ready, instance.ending, instance.status = nil, false, false, nil
  if instance.again then
    instance.again = false
    start(instance)
  elseif not meant then
    on_crash(instance, signal ~= 0 and ("signal %d"):format(signal) or ("exit code %d"):format(code))
  elseif #instance.waiting > 0 and not instance.failure then
    start(instance)
  end
  -- Only now: what is asked again must not meet the client that ended.
  for _, done in ipairs(ended) do
    done(id)
  end
  instances.announce()
end

---Start the process. Neovim is told that it ended well, whatever happened: it would show a message of its own for
---each crash, while we start it again, and tell the reason when we give up.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param root string
---@return vim.lsp.rpc.PublicClient
local function spawn(dispatchers, root)
  local command = assert(sidecar.find(), "Scry: no sidecar")
  local own = vim.tbl_extend("force", dispatchers, {
    on_exit = function(code, signal)
      exits[root] = { code = code, signal = signal }
      dispatchers.on_exit(0, 0)
    end,
  })
  return vim.lsp.rpc.start(vim.list_extend(vim.list_slice(command.argv), { "lsp" }), own)
end

---All that is the same for every project.
---@param root? string where Neovim does not tell it
---@return vim.lsp.ClientConfig
local function shared(root)
  return {
    name = "scry",
    cmd = function(dispatchers, own)
      return spawn(dispatchers, root or own.root_dir)
    end,
    init_options = {
      scry = { protocol = protocol.version, editor = "neovim" },
      workspace_symbol = config.values.workspace_symbol,
    },
    handlers = { [protocol.methods.status_changed] = handlers.status, ["window/showMessage"] = handlers.message },
    on_init = on_init,
    on_attach = attach.keep_k,
    on_exit = vim.schedule_wrap(on_exit),
  }
end

---For `vim.lsp.enable`: the same client, started by Neovim with the first file of a project.
---@return vim.lsp.Config
function M.lsp_config()
  local own = shared()
  ---@param buffer integer
  ---@param start_in fun(root: string)
  own.root_dir = function(buffer, start_in)
    if not root_of.file(buffer) then
      return
    end
    local root = root_of.of(buffer)
    local _, why = sidecar.find()
    if why then
      return notify.error(why)
    end
    if not instances.of(root).failure then
      start_in(root)
    end
  end
  return own
end

start = function(instance)
  instance.planned = false
  local _, why = sidecar.find()
  if why then
    -- Not kept as a failure: it may be installed by the next time.
    return answer_waiting(instance, { message = why })
  end
  local own = shared(instance.root)
  own.root_dir = instance.root
  own.workspace_folders = { { uri = vim.uri_from_fname(instance.root), name = vim.fs.basename(instance.root) } }
  if vim.fn.has("nvim-0.11") == 1 then
    instance.id = vim.lsp.start(own, { attach = false })
  else
    instance.id = vim.lsp.start_client(own)
  end
  if not instance.id then
    answer_waiting(instance, { message = "the sidecar could not be started; :Scry log may say why." })
  end
end

---Hand the client of a project to `done`, once it is ready; start it if need be.
---@param root string
---@param done fun(failure?: scry.Failure, client?: vim.lsp.Client)
function M.with(root, done)
  local instance = instances.of(root)
  local client = instance.ready and vim.lsp.get_client_by_id(instance.id)
  if client then
    return done(nil, client)
  elseif instance.failure then
    return done({ message = instance.failure })
  end
  table.insert(instance.waiting, done)
  if not instance.id and not instance.planned then
    start(instance)
  end
end

---Call `done` with the id of every client that ends.
---@param done fun(id: integer)
function M.on_end(done)
  table.insert(ended, done)
end

---Restart the sidecar of a project from any state.
---@param root string
function M.restart(root)
  local instance = instances.of(root)
  instance.failure, instance.crashes = nil, {}
  local client = instance.id and vim.lsp.get_client_by_id(instance.id)
  if not client then
    return start(instance)
  end
  instance.ending, instance.again = true, true
  M.call(client, "stop")
end

return M
