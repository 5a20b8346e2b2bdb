---The sidecar processes, one per project: started by the first use, and restarted after a crash, up to a limit.
---
---A process is started by `vim.lsp.enable("scry")`, through lsp/scry.lua, or by the first `:Scry` in a project.

local attach = require("scry.attach")
local config = require("scry.config")
local instances = require("scry.instances")
local notify = require("scry.notify")
local protocol = require("scry.generated.protocol")
local root_of = require("scry.root")
local sidecar = require("scry.sidecar")

local M = {}

---Milliseconds until the restart after a first crash. Each further crash adds as much.
local BACKOFF_MS = 200

---Seconds within which crashes are counted.
local CRASH_WINDOW_S = 60

---@class scry.Failure the reason why a request was not answered.
---@field message string text for the user.
---@field code? integer error code of JSON-RPC; absent where the sidecar did not answer.

local end_listeners = {} ---@type (fun(id: integer))[]
local exits = {} ---@type table<string, { code: integer, signal: integer }> by root, of the last process
local start ---@type fun(instance: scry.Instance)

---Call the functions that wait for an instance.
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

---Mark an instance as failed, so that it is not restarted, and report the reason.
---@param instance scry.Instance
---@param reason string
local function give_up(instance, reason)
  instance.failure = reason
  notify.error(reason)
  answer_waiting(instance, { message = reason })
end

---Call a method of a client, in the form that this Neovim expects.
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

---Return the problem with the protocol version of a sidecar; nil where it is the plugin's own.
---@param result lsp.InitializeResult
---@return string?
local function protocol_problem(result)
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
  local problem = protocol_problem(result)
  if problem then
    instance.is_ending = true
    M.call(client, "stop")
    return give_up(instance, problem)
  end
  instance.ready, instance.failure = true, nil
  vim.schedule(attach.all)
  answer_waiting(instance, nil, client)
  instances.announce()
end

---Restart a crashed sidecar after a wait, or give it up after too many crashes.
---@param instance scry.Instance
---@param cause string
local function on_crash(instance, cause)
  local now = os.time()
  instance.crashes = vim.tbl_filter(function(crashed_at)
    return now - crashed_at < CRASH_WINDOW_S
  end, instance.crashes)
  table.insert(instance.crashes, now)
  if #instance.crashes <= config.values.restarts then
    instance.restart_scheduled = true
    vim.defer_fn(function()
      if instance.restart_scheduled then
        start(instance)
      end
    end, BACKOFF_MS * #instance.crashes)
    return
  end
  local command = sidecar.find()
  local reason = command and require("scry.log").last_error_line(command.argv[1])
  local text =
    "the sidecar ended by itself %d times within a minute (%s%s). :Scry log shows more, :Scry restart tries again."
  give_up(instance, text:format(#instance.crashes, cause, reason and ": " .. reason or ""))
end

---@param _code integer always 0, see `spawn`
---@param _signal integer always 0
---@param id integer
local function on_exit(_code, _signal, id)
  local instance = instances.of_client(id)
  if not instance or vim.v.exiting ~= vim.NIL then
    return
  end
  local code, signal = exits[instance.root].code, exits[instance.root].signal
  local is_intended = instance.is_ending or (code == 0 and (signal == 0 or signal == 15))
  instance.id, instance.ready, instance.is_ending, instance.status = nil, false, false, nil
  if instance.restart_after_end then
    instance.restart_after_end = false
    start(instance)
  elseif not is_intended then
    on_crash(instance, signal ~= 0 and ("signal %d"):format(signal) or ("exit code %d"):format(code))
  elseif #instance.waiting > 0 and not instance.failure then
    start(instance)
  end
  -- Last, because repeated requests must not be sent to the client that ended.
  for _, listener in ipairs(end_listeners) do
    listener(id)
  end
  instances.announce()
end

---Store the new status of a sidecar.
---@param _ any
---@param changed scry.protocol.StatusChanged
---@param context { client_id: integer }
local function on_status(_, changed, context)
  local instance = instances.of_client(context.client_id)
  if instance then
    instance.status = changed.status
  end
  instances.announce()
end

---Show a message of a sidecar.
---@param _ any
---@param params { type: integer, message: string }
---@param context { client_id: integer }
---@return any
local function on_message(_, params, context)
  local instance = instances.of_client(context.client_id)
  if instance and instance.failure then
    return -- both sides report a protocol mismatch; the plugin has done so
  end
  local levels = { vim.log.levels.ERROR, vim.log.levels.WARN }
  vim.notify("Scry: " .. params.message:gsub("^Scry: ", ""), levels[params.type] or vim.log.levels.INFO)
end

---Start the process. Its end is reported to Neovim as successful: Neovim would show a message for each crash, while the
---plugin restarts the sidecar and reports the reason when it gives up.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param root string
---@return vim.lsp.rpc.PublicClient
local function spawn(dispatchers, root)
  local command = assert(sidecar.find(), "Scry: no sidecar")
  local wrapped = vim.tbl_extend("force", dispatchers, {
    on_exit = function(code, signal)
      exits[root] = { code = code, signal = signal }
      dispatchers.on_exit(0, 0)
    end,
  })
  local spawn_params = { env = config.values.learn and {} or { SCRY_LEARN = "false" } }
  return vim.lsp.rpc.start(vim.list_extend(vim.list_slice(command.argv), { "lsp" }), wrapped, spawn_params)
end

---Return what this client supports: a hover in plain text comes first, because Neovim shows the source of Markdown,
---with its escapes and unaligned tables.
---@return lsp.ClientCapabilities
local function capabilities()
  local own = vim.lsp.protocol.make_client_capabilities()
  own.textDocument.hover.contentFormat = { "plaintext", "markdown" }
  return own
end

---Return the client configuration that every project shares.
---@param root? string by default the root that Neovim passes
---@return vim.lsp.ClientConfig
local function base_config(root)
  return {
    name = "scry",
    capabilities = capabilities(),
    cmd = function(dispatchers, started)
      return spawn(dispatchers, root or started.root_dir)
    end,
    init_options = {
      scry = { protocol = protocol.version, editor = "neovim" },
      workspace_symbol = config.values.workspace_symbol,
    },
    handlers = { [protocol.methods.status_changed] = on_status, ["window/showMessage"] = on_message },
    on_init = on_init,
    on_attach = attach.unmap_hover,
    on_exit = vim.schedule_wrap(on_exit),
  }
end

---Return the configuration for `vim.lsp.enable`, by which Neovim starts the client with the first file of a project.
---@return vim.lsp.Config
function M.lsp_config()
  local client_config = base_config()
  ---@param buffer integer
  ---@param start_in fun(root: string)
  client_config.root_dir = function(buffer, start_in)
    if not root_of.file(buffer) then
      return
    end
    local root = root_of.of(buffer)
    local _, problem = sidecar.find()
    if problem then
      return notify.error(problem)
    end
    if not instances.of(root).failure then
      start_in(root)
    end
  end
  return client_config
end

start = function(instance)
  instance.restart_scheduled = false
  local _, problem = sidecar.find()
  if problem then
    -- Not stored as a failure, because the sidecar may be installed later.
    return answer_waiting(instance, { message = problem })
  end
  local client_config = base_config(instance.root)
  client_config.root_dir = instance.root
  client_config.workspace_folders =
    { { uri = vim.uri_from_fname(instance.root), name = vim.fs.basename(instance.root) } }
  if vim.fn.has("nvim-0.11") == 1 then
    instance.id = vim.lsp.start(client_config, { attach = false })
  else
    instance.id = vim.lsp.start_client(client_config)
  end
  if not instance.id then
    answer_waiting(instance, { message = "the sidecar could not be started; :Scry log may say why." })
  end
end

---Call `done` with the client of a project once the client is ready. Start the client if necessary.
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
  if not instance.id and not instance.restart_scheduled then
    start(instance)
  end
end

---Call `listener` with the id of every client that ends.
---@param listener fun(id: integer)
function M.on_end(listener)
  table.insert(end_listeners, listener)
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
  instance.is_ending, instance.restart_after_end = true, true
  M.call(client, "stop")
end

return M
