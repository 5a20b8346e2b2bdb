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

return T
