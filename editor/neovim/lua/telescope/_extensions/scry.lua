-- Defines `:Telescope scry find`, `:Telescope scry recent` …, which also take telescope's options, such as its themes.

---@param mode "find"|"recent"|"orient"|"neighbors"
---@return fun(options?: table)
local function export(mode)
  return function(options)
    options = options or {}
    local source = require("scry").source(mode, options)
    require("scry.pickers.telescope").open(source, options)
  end
end

return require("telescope").register_extension({
  exports = {
    scry = export("find"),
    find = export("find"),
    recent = export("recent"),
    orient = export("orient"),
    neighbors = export("neighbors"),
  },
})
