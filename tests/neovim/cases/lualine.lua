-- The component of lualine: in the real plugin where it is installed ($TEST_LUALINE is "real"), else in a stand-in of
-- its base class, as the documentation of the plugin describes it.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

local STAND_IN = [[
  package.preload["lualine.component"] = function()
    local Component = {}
    function Component:extend()
      return setmetatable({}, { __index = self })
    end
    return Component
  end
]]

if os.getenv("TEST_LUALINE") == "real" then
  T["the component shows the state of the index, and is empty before"] = function()
    child().lua(
      "require('lualine').setup({ options = { icons_enabled = false }, sections = { lualine_x = { 'scry' } } })"
    )
    child().cmd("edit README.md")
    child().shows("README.md")
    expect.equality(tostring(child().get_screenshot()):find(" scry ", 1, true), nil)
    child().ready()
    child().cmd("doautocmd CursorMoved")
    child().shows(" scry ")
  end
else
  T["the component has the state of the index, and its options"] = function()
    child().lua(STAND_IN)
    child().lua([[
      _G.component = setmetatable({ options = {} }, { __index = require("lualine.components.scry") })
    ]])
    expect.equality(child().lua_get("_G.component:update_status()"), "")
    child().ready()
    expect.equality(child().lua_get("_G.component:update_status()"), "scry")
    child().lua("_G.component.options.quiet = true")
    expect.equality(child().lua_get("_G.component:update_status()"), "")
  end
end

return T
