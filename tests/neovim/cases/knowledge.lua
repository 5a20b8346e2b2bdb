-- Beliefs, notes, memories and sessions, with data folders of their own.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

local function begin()
  child().lua("vim.env.XDG_DATA_HOME, vim.env.SCRY_MEMORY = vim.fn.tempname(), nil")
end

local function wait_said(words)
  child().wait(("_G.said[#_G.said] and _G.said[#_G.said].text:find(%q, 1, true)"):format(words), words)
end

---Take the entry that holds the words from each list; a list without them is shown in _G.lists alone.
local function will_take(...)
  child().lua(
    [[_G.lists, _G.wanted = {}, { ... }
    vim.ui.select = function(items, options, done)
      local format = options.format_item or tostring
      table.insert(_G.lists, vim.tbl_map(format, items))
      for _, item in ipairs(items) do
        for _, words in ipairs(_G.wanted) do
          if format(item):find(words, 1, true) then
            return done(item)
          end
        end
      end
      done(nil)
    end]],
    { ... }
  )
end

T["a belief is written, listed at once, and its file opened"] = function()
  begin()
  will_take("mailed")
  child().cmd("Scry believe Receipts are never mailed twice")
  child().wait("vim.api.nvim_buf_get_name(0):find('receipts-never-mailed-twice.md', 1, true)", "the file")
  child().cmd("edit README.md")
  child().cmd("Scry beliefs")
  child().wait("vim.api.nvim_buf_get_name(0):find('receipts-never-mailed-twice.md', 1, true)", "the file again")
  editor.expect_holds(child().lua_get("_G.lists[1][1]"), "Receipts are never mailed twice")
  child().lua("vim.fn.delete(vim.api.nvim_buf_get_name(0))")
end

T["the selection is cited as evidence of a belief, which is then among those about the file"] = function()
  begin()
  will_take("rounded")
  child().cmd("edit shop/cart.py")
  child().cmd("11,13Scry believe Totals are never rounded")
  child().wait("vim.api.nvim_buf_get_name(0):find('totals-never-rounded.md', 1, true)", "the file")
  editor.expect_holds(child().text(), "shop/cart.py:11-13")
  expect.equality(child().answered("scry/believe").params.evidence, { "shop/cart.py:11-13" })
  child().cmd("edit shop/cart.py")
  child().ready()
  local function about()
    child().lua("_G.lists = {}")
    child().cmd("Scry beliefs here")
    child().answered("scry/why", #child().sent("scry/why"))
    return child().lua_get("_G.lists[1] and _G.lists[1][1] or ''")
  end
  local listed = about()
  local give_up = os.time() + editor.TIMEOUT_MS / 1000 -- the indexer reads the new file in its own time
  while listed == "" and os.time() < give_up do
    vim.uv.sleep(100)
    listed = about()
  end
  editor.expect_holds(listed, "Totals are never rounded")
  child().wait("vim.api.nvim_buf_get_name(0):find('totals-never-rounded.md', 1, true)", "the file again")
  expect.equality(child().sent("scry/why")[1].params.record, false)
  child().lua("vim.fn.delete(vim.api.nvim_buf_get_name(0))")
end

T["a file without beliefs, and a buffer without a file, are told so"] = function()
  begin()
  child().cmd("edit shop/mail.py")
  child().cmd("Scry beliefs here")
  wait_said("no belief bears on this file")
  child().cmd("enew")
  child().cmd("Scry beliefs here")
  wait_said("no file of a project")
  child().cmd("1Scry believe Nothing is cited")
  wait_said("cannot be cited")
end

T["the log is switched off and on, and exported"] = function()
  begin()
  child().lua("vim.env.XDG_CONFIG_HOME = vim.fn.tempname()")
  child().cmd("Scry log off")
  wait_said("Logging is off")
  child().cmd("Scry log on")
  wait_said("Logging is on")
  local file = vim.fn.tempname()
  child().cmd("Scry log export " .. file)
  wait_said("events in")
  expect.equality(vim.fn.filereadable(file), 1)
  child().cmd("Scry log export " .. file)
  wait_said("exists")
  child().cmd("Scry log of")
  wait_said(":Scry log on, off")
end

T["a belief gets another id"] = function()
  begin()
  will_take("counted")
  child().cmd("Scry believe Boxes are counted once")
  child().wait("vim.api.nvim_buf_get_name(0):find('boxes-counted-once.md', 1, true)", "the file")
  child().lua("vim.ui.input = function(_, done) done('one-count') end")
  child().cmd("Scry beliefs rename")
  child().wait("vim.api.nvim_buf_get_name(0):find('/one-count.md', 1, true)", "the file of the new id")
  expect.equality(child().answered("scry/beliefs").params.new_id, "one-count")
  child().lua("vim.fn.delete(vim.api.nvim_buf_get_name(0))")
end

T["a note is kept, found and forgotten"] = function()
  begin()
  child().cmd("Scry persona")
  wait_said("there is no such note")
  child().cmd("Scry remember I like small functions")
  wait_said("Remembered")
  will_take("small functions", "Forget")
  child().cmd("Scry persona small")
  wait_said("Forgotten")
  expect.equality(child().lua_get("_G.lists[1]"), { "I like small functions" })
end

T["a decision is kept in memory, found and forgotten"] = function()
  begin()
  child().cmd("Scry observe decision Totals are kept in cents")
  wait_said("remembered as memory:")
  will_take("Totals", "Copy")
  child().cmd("Scry memory cents")
  wait_said("copied")
  expect.equality(child().fn.getreg('"'), "Totals are kept in cents")
  will_take("Totals", "Forget")
  child().cmd("Scry memory")
  wait_said("Forgot 1 memory")
  child().cmd("Scry observe guess It is late")
  wait_said("kind: Invalid enum value 'guess'; it is one of command, error")
end

T["Neovim's own list of many memories is shown page by page"] = function()
  begin()
  child().o.lines = 16
  child().lua([[
    _G.pages = {}
    vim.fn.inputlist = function(lines)
      table.insert(_G.pages, lines)
      return #lines == 3 and 1 or #lines - 1 -- the last entry of a page; of the two choices, the first
    end
    for number = 1, 60 do
      require("scry.knowledge").observe("note", ("parcel %d %s\nis heavy"):format(number, ("x"):rep(200)))
    end
  ]])
  child().answered("scry/observe", 60)
  child().cmd("Scry memory")
  wait_said("copied")
  local pages = child().lua_get("_G.pages")
  expect.equality(vim.tbl_map(vim.tbl_count, pages), { 13, 13, 13, 13, 13, 6, 3 }) -- with the prompt
  editor.expect_holds(pages[1][1], "Scry memory (1-11 of 60)")
  expect.equality(pages[1][13], "12: 49 more")
  editor.expect_holds(pages[6][1], "Scry memory (56-60 of 60)")
  editor.expect_holds(pages[6][6], "5: note: parcel ")
  editor.expect_holds(child().fn.getreg('"'), "\nis heavy")
  for _, page in ipairs(pages) do
    for _, line in ipairs(page) do
      expect.equality(vim.api.nvim_strwidth(line) <= 120, true)
    end
  end
end

T["Neovim's own list of thousands of long entries prints one page, with the remarks"] = function()
  child().o.lines = 16
  child().lua([[
    vim.fn.inputlist = function(lines) _G.lines = lines return 0 end
    local items = {}
    for number = 1, 5000 do
      items[number] = ("%d: "):format(number) .. ("a long text\n"):rep(1000) .. "é"
    end
    require("scry.pickers.select").choose_item(items, {
      prompt = "Scry",
      text = function(item) _G.read = (_G.read or 0) + 1 return item end,
      remark = function() return "(retracted)" end,
    }, function() end)
  ]])
  local lines = child().lua_get("_G.lines")
  expect.equality(#lines, 13)
  expect.equality(child().lua_get("_G.read"), 11)
  editor.expect_holds(lines[2], "…  (retracted)")
  expect.equality(lines[13], "12: 4989 more")
end

T["a session is begun, listed and ended"] = function()
  begin()
  child().cmd("Scry session start make login work")
  wait_said("Begun")
  child().cmd("Scry session")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  editor.expect_holds(child().text(), "make login work")
  child().type_keys("q")
  child().cmd("Scry session end")
  wait_said("Ended")
end

T["more sessions than the sidecar lists by default are listed"] = function()
  begin()
  for number = 1, 25 do
    child().cmd("Scry session start aim " .. number)
    child().answered("scry/session", 2 * number - 1)
    child().cmd("Scry observe note step " .. number)
    child().answered("scry/observe", number)
    child().cmd("Scry session end")
    child().answered("scry/session", 2 * number)
  end
  child().cmd("Scry session")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  for number = 1, 25 do
    editor.expect_holds(child().text() .. "\n", (" aim %d\n"):format(number))
  end
end

T["missing words are asked for by name"] = function()
  for _, command in ipairs({ "believe", "remember", "observe decision", "session start" }) do
    child().cmd("Scry " .. command)
    wait_said(":Scry " .. command)
  end
  expect.equality(child().fn.getcompletion("Scry session e", "cmdline"), { "end" })
  expect.equality(child().fn.getcompletion("Scry observe d", "cmdline"), { "decision" })
end

return T
