-- By telescope: as one types.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'telescope' }" })

---What the results window lists, best first.
local LISTED = [[(function()
  local prompt = vim.api.nvim_get_current_buf()
  local picker = require("telescope.actions.state").get_current_picker(prompt)
  local listed = {}
  for entry in (picker and picker.manager and picker.manager:iter() or function() end) do
    listed[#listed + 1] = entry.value.item.doc_id
  end
  return #listed > 0 and listed or nil
end)()]]

local function find(words)
  child().cmd("edit README.md")
  child().cmd("Scry find")
  child().wait("vim.bo.filetype == 'TelescopePrompt'", "the prompt")
  child().type_keys(20, words)
end

T["finds as one types, jumps and tells the use"] = function()
  find("sum of all prices")
  child().shows("compute_total")
  child().type_keys("<CR>")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  expect.equality(child().lua_get("vim.fn.line('.')"), 11)
  local use = child().wait("vim.tbl_filter(function(one) return one.method == 'scry/use' end, _G.sent)[1]", "the use")
  expect.equality(use.params.rank, 1)
  expect.equality(use.params.how, "jump")
  expect.equality(type(use.params.act_id), "string")
end

T["keeps the sidecar's order"] = function()
  child().cmd("Scry find receipt")
  local listed = child().wait(LISTED)
  local answer = child().answer()
  expect.equality(
    listed,
    vim.tbl_map(function(result)
      return result.doc_id
    end, answer.results)
  )
end

T["a newer question cancels the older ones"] = function()
  find("receipt")
  child().wait(LISTED)
  local process = child().lua_get("vim.api.nvim_get_proc_children(vim.fn.getpid())")[1]
  local before = #child().sent("scry/find")
  vim.uv.kill(process, "sigstop")
  child().type_keys(150, " mail")
  child().wait(
    ("#vim.tbl_filter(function(one) return one.method == 'scry/find' end, _G.sent) >= %d"):format(before + 2)
  )
  vim.uv.kill(process, "sigcont")
  child().wait("_G.sent[#_G.sent].answered")
  local asked = vim.list_slice(child().sent("scry/find"), before + 1)
  for place, one in ipairs(asked) do
    expect.equality({ one.params.query, one.answered == true }, { one.params.query, place == #asked })
    expect.equality(one.params.picker, asked[1].params.picker)
  end
  expect.equality(asked[#asked].params.query, "receipt mail")
end

for _, columns in ipairs({ 80, 120, 200 }) do
  for _, background in ipairs({ "dark", "light" }) do
    T[("looks as it should at %d columns, %s"):format(columns, background)] = function()
      child().o.columns = columns
      child().o.background = background
      child().o.statusline = "%t"
      find("receipt")
      child().shows("send_receipt")
      child().wait("_G.sent[#_G.sent].params.query == 'receipt' and _G.sent[#_G.sent].answered")
      if columns >= 120 then -- narrower, telescope leaves out the preview
        child().shows("def send_receipt")
      end
      editor.expect_screen(child(), ("telescope-%d-%s"):format(columns, background))
    end
  end
end

return T
