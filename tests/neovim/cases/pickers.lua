-- The adapters for mini.pick, snacks and fzf-lua ($TEST_PICKER names one) where the real plugin is not installed. A
-- stand-in for each behaves as the plugin's documentation says.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set()

---The stand-ins, as Lua code. `_G.choose(place)` and `_G.press(key)` act as a user does.
local STAND_INS = {
  mini_pick = [==[
    local active, tick, items = nil, 0, {}
    local pick = {
      config = { mappings = { choose = "<CR>", scroll_down = "<C-f>", choose_in_tabpage = "<C-t>" } },
      builtin = { resume = function() _G.resumed = true end },
      start = function(options) active = options; options.source.items() end,
      is_picker_active = function() return active ~= nil end,
      get_querytick = function() return tick end,
      get_picker_state = function() return { windows = { main = vim.api.nvim_get_current_win() } } end,
      get_picker_query = function() return vim.fn.split("receipt", "\\zs") end,
      get_picker_matches = function()
        return { all = items, current = items[1], marked = vim.list_slice(items, 1, _G.marked or 0) }
      end,
      set_picker_items = function(new)
        items = new
        _G.listed = vim.tbl_map(function(item) return item.hit.item.doc_id end, new)
      end,
      set_picker_opts = function(options) _G.name = options.source.name end,
    }
    pick.set_picker_query = function(query) tick = tick + 1; active.source.match({}, {}, query) end
    package.loaded["mini.pick"] = pick
    _G.choose = function(place) active.source.choose(items[place]); active = nil end
    _G.press = function(key)
      for _, mapping in pairs(active.mappings) do
        if mapping.char == key then return mapping.func() end
      end
    end
    _G.preview = function(place)
      local buffer = vim.api.nvim_create_buf(false, true)
      vim.api.nvim_win_set_buf(0, buffer)
      active.source.preview(buffer, items[place])
      return vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1]
    end
  ]==],
  snacks = [==[
    local items, options = {}, nil
    local picker = {
      input = { filter = { search = "receipt" } },
      close = function(self) self.closed = true end,
      current = function() return items[1] end,
      items = function() return items end,
      selected = function() return _G.marked and vim.list_slice(items, 1, _G.marked) or {} end,
      list = { view = function(_, index) _G.focused = index end },
      update_titles = function(self) _G.name = self.title end,
    }
    package.loaded["snacks.picker"] = {}
    package.loaded["snacks"] = { picker = { pick = function(own)
      options = own
      local thread
      local task = {
        on = function() end,
        suspend = function() coroutine.yield() end,
        resume = function() coroutine.resume(thread) end,
      }
      function picker.find(_, finding)
        items = {}
        local find = own.finder(own, { picker = picker, async = task, filter = { search = own.search } })
        thread = coroutine.create(function()
          find(function(item) items[#items + 1] = item end)
          _G.listed = vim.tbl_map(function(i) return i.hit.item.doc_id end, items)
          if finding then finding.on_done() end
        end)
        coroutine.resume(thread)
      end
      picker:find()
    end } }
    _G.choose = function(place) options.actions.confirm(picker, items[place]) end
    _G.press = function(key) options.actions[options.win.input.keys[key][1]](picker, items[1]) end
    _G.preview = function(place)
      local buffer = vim.api.nvim_create_buf(false, true)
      local context = { item = items[place], win = vim.api.nvim_get_current_win() }
      context.preview = { reset = function() end, set_title = function() end, scratch = function() return buffer end }
      vim.api.nvim_win_set_buf(0, buffer)
      options.preview(context)
      return vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1]
    end
  ]==],
  fzf_lua = [==[
    local lines, options = {}, nil
    local base = { extend = function(self) return setmetatable({ super = self }, { __index = self }) end }
    base.new = function() end
    package.loaded["fzf-lua.previewer.builtin"] = { base = base }
    package.loaded["fzf-lua.utils"] = {
      ansi_from_hl = function(_, text) return text end,
      fzf_winobj = function() return { fzf_winid = vim.api.nvim_get_current_win() } end,
    }
    vim.api.nvim_chan_send = function(_, bytes) if bytes == "\27\18" then _G.reload() end end -- fzf's key to reload
    package.loaded["fzf-lua"] = {
      resume = function() _G.resumed = true end,
      fzf_live = function(contents, own)
        options = own
        _G.reload = function()
          lines = {}
          contents({ own.query })(function(line)
            if line then lines[#lines + 1] = line return end
            table.remove(lines, 1) -- the header
            _G.listed = vim.tbl_map(function(one)
              return one:match("%] +~? *([^%s~]+)") or one:match("^%d+\t +(%S+) +↳ line %d+")
            end, lines)
          end)
        end
        _G.reload()
      end,
    }
    _G.choose = function(place) options.actions.enter({ lines[place] }, { last_query = options.query }) end
    _G.press = function(key)
      local name = key:gsub("<M%-(.)>", "alt-%1"):gsub("<C%-(.)>", "ctrl-%1")
      local action = options.actions[name]
      local fn = type(action) == "table" and action.fn or action
      fn(vim.list_slice(lines, 1, _G.marked or 1), { last_query = options.query })
      if type(action) == "table" and action.reload then _G.reload() end
    end
    _G.preview = function(place)
      local class = options.previewer._ctor()
      local buffer = vim.api.nvim_create_buf(false, true)
      local one = setmetatable({ win = { preview_winid = vim.api.nvim_get_current_win() } }, { __index = class })
      one.get_tmp_buffer = function() return buffer end
      one.set_preview_buf = function(_, shown) vim.api.nvim_win_set_buf(0, shown) end
      one:populate_preview_buf(lines[place])
      return vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1]
    end
  ]==],
}

local name = os.getenv("TEST_PICKER")

local function open(words)
  child().lua(STAND_INS[name])
  child().cmd("Scry find " .. words)
  child().wait("_G.listed and #_G.listed > 0", "the list")
end

local function find()
  child().lua("require('scry').setup({ picker = ... })", { name })
  child().cmd("edit README.md")
  open("receipt")
end

T["keeps the sidecar's order, previews, jumps and records the use"] = function()
  find()
  local listed = child().lua_get("_G.listed")
  local results = child().answer().results
  expect.equality(#listed, #results)
  for place, result in ipairs(results) do
    local short = name == "fzf_lua" and editor.name_of(result):match("^%S+") or result.doc_id:gsub("^%./", "")
    expect.equality({ place, listed[place]:gsub("^%./", ""):sub(1, 14) }, { place, short:sub(1, 14) })
  end
  expect.equality(child().lua_get("_G.preview(1)"), "def send_receipt(address: str) -> None:")
  child().lua("_G.choose(1)")
  child().wait("vim.fn.expand('%:t') == 'mail.py'", "the jump")
  local use = child().answered("scry/use")
  expect.equality({ use.params.rank, use.params.how }, { 1, "jump" })
end

T["an answer from an unfinished index is refreshed"] = function()
  child().lua("require('scry').setup({ picker = ... })", { name })
  child().ready()
  child().lua("_G.partial = 2")
  child().cmd("edit README.md")
  open("receipt")
  expect.equality(#child().sent("scry/find"), 3)
  expect.equality(#child().lua_get("_G.listed"), #child().answer().results)
end

T["lists the further places of a file by a key, and records their use"] = function()
  child().lua("require('scry').setup({ picker = ..., limit = 3 })", { name })
  editor.open_parcels(child())
  open("weigh parcel")
  local first = child().answer().results[1]
  child().lua("_G.press('<M-f>')")
  child().wait(("#_G.listed == %d"):format(3 + #first.further), "the further places")
  editor.expect_holds(child().lua_get("_G.listed[2]"), first.further[1].title)
  child().lua("_G.press('<M-f>')")
  child().wait("#_G.listed == 3", "the results alone")
  child().lua("_G.press('<M-f>')")
  child().wait("#_G.listed > 3", "the further places again")
  child().lua("_G.choose(3)")
  child().wait("vim.fn.expand('%:t') == 'parcels.py'", "the jump")
  local place, use = first.further[2], child().answered("scry/use")
  expect.equality(child().lua_get("vim.fn.line('.')"), place.location.range.start.line + 1)
  expect.equality({ use.params.rank, use.params.doc_id, use.result.recorded }, { 1, place.doc_id, true })
  expect.equality(#child().sent("scry/find"), 1)
end

T["opens several results, and results in the background, with one use each"] = function()
  find()
  child().lua("_G.marked = 2")
  child().lua("_G.press('<M-o>')")
  child().answered("scry/use", 2)
  expect.equality(child().fn.expand("%:t"), "README.md")
  child().lua("_G.press('<C-v>')")
  child().answered("scry/use", 4)
  expect.equality(child().lua_get("#vim.api.nvim_list_wins()"), 3)
  local hows = vim.tbl_map(function(use)
    return use.params.how
  end, child().sent("scry/use"))
  expect.equality(hows, { "open", "open", "jump", "jump" })
end

T["the selected results fill the quickfix list"] = function()
  find()
  child().lua("_G.marked = 2")
  child().lua("_G.press('<C-q>')")
  child().wait("vim.bo.filetype == 'qf'", "the quickfix window")
  expect.equality(#child().fn.getqflist(), 2)
  expect.equality(child().fn.getqflist({ title = 1 }).title, "Scry: receipt")
end

T["a key shows the legend, and another one the relations"] = function()
  find()
  child().lua("_G.press('<M-h>')")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  editor.expect_holds(child().text(), "weak match")
  child().type_keys("q")
  child().lua("require('scry').setup({ picker = 'select' })")
  child().lua("vim.ui.select = function(_, options) _G.prompt = options.prompt end")
  child().lua("_G.press('<M-r>')")
  child().wait("_G.prompt and _G.prompt:find('Scry relations of', 1, true)", "the relations")
end

T["maps the keys of the actions"] = function()
  find()
  child().lua("_G.press('<M-g>')")
  child().answered("scry/feedback")
  child().lua("_G.press('<M-w>')")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  child().type_keys("q")
  child().lua("_G.press('<C-q>')")
  child().wait("vim.bo.filetype == 'qf'", "the quickfix window")
end

return T
