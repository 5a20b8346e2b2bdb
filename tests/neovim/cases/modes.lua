-- Every other mode over the real sidecar: orient, recent, neighbors, detail, commits.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

---Let `vim.ui.select` take the first entry that holds this text.
local function will_take(text)
  child().lua(([[
    vim.ui.select = function(items, options, done)
      _G.shown = vim.tbl_map(options.format_item, items)
      for place, shown in ipairs(_G.shown) do
        if shown:find(%q, 1, true) then
          return done(items[place])
        end
      end
    end
  ]]):format(text))
end

T["orient lists files to walk through, and each jump is told"] = function()
  child().cmd("edit README.md")
  child().cmd("Scry orient shop")
  child().wait("vim.bo.filetype == 'scry-orient'", "the buffer")
  local lines = table.concat(child().api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  expect.equality(lines:find("shop/cart.py", 1, true) ~= nil, true)
  expect.equality(vim.startswith(lines, "shop\n"), true)
  child().type_keys("/cart.py<CR>", "<CR>")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  local use = child().wait("vim.tbl_filter(function(one) return one.method == 'scry/use' end, _G.sent)[1]", "the use")
  local asked = child().sent("scry/orient") -- again and again, while the project is being opened
  expect.equality(use.params.query_id, asked[#asked].result.query_id)
  child().cmd("wincmd p")
  expect.equality(child().bo.filetype, "scry-orient")
  child().type_keys("-")
  child().wait(
    ("#vim.tbl_filter(function(one) return one.method == 'scry/orient' and one.answered end, _G.sent) > %d"):format(
      #asked
    )
  )
end

T["recent lists what changed, also without a query"] = function()
  will_take("nothing")
  child().cmd("Scry recent --days 36500")
  child().wait("_G.shown", "the list")
  expect.equality(child().sent("scry/recent")[1].params.days, 36500)
end

T["neighbors of a file are its own mode"] = function()
  will_take("nothing")
  child().cmd("edit shop/cart.py")
  child().cmd("Scry neighbors --by dependency")
  child().wait("vim.tbl_filter(function(one) return one.method == 'scry/neighbors' and one.answered end, _G.sent)[1]")
  local sent = child().sent("scry/neighbors")[1]
  expect.equality(sent.params.by, "dependency")
  expect.equality(vim.endswith(sent.params.file, "/shop/cart.py"), true)
end

T["detail shows a result in full in a buffer of its own"] = function()
  will_take("compute_total")
  child().cmd("Scry find sum of all prices")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  child().cmd("Scry detail")
  child().wait("vim.bo.filetype == 'markdown' and vim.bo.buftype == 'nofile'", "the buffer")
  local lines = table.concat(child().api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  expect.equality(lines:find("Sums all prices", 1, true) ~= nil, true)
  child().wait("vim.tbl_filter(function(one) return one.method == 'scry/use' end, _G.sent)[2]", "the use")
  expect.equality(child().sent("scry/use")[2].params.how, "detail")
end

T["a commit opens as a diff"] = function()
  will_take("[commit]")
  child().cmd("Scry find First receipt")
  child().wait("vim.bo.filetype == 'git'", "the diff")
  local lines = table.concat(child().api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  expect.equality(lines:find("\n+++ b/", 1, true) ~= nil, true)
  expect.equality(lines:find("First", 1, true) ~= nil, true)
  local use = child().wait("vim.tbl_filter(function(one) return one.method == 'scry/use' end, _G.sent)[1]", "the use")
  expect.equality(use.params.how, "open")
end

return T
