-- Messages from the server: shows them, and calls the callbacks for their type.

local any, byType = {}, {}
local messages = { any = any, byType = byType }

-- addMessageCallback registers fn(type, text, ...) for messages of a type, or of every type if type
-- is nil. If a callback returns true, the message is not shown. Another mod passes the name of an
-- export instead of a function: addMessageCallback("MsgChat", "mymod.onChatLine").
function addMessageCallback(type, fn)
  local list = any
  if type ~= nil then
    type = detag(type)
    byType[type] = byType[type] or {}
    list = byType[type]
  end
  for _, known in ipairs(list) do
    if known == fn then return end -- registered again after a reload
  end
  list[#list + 1] = fn
end

-- callExport calls an export of another mod.
local function callExport(mod, name, ...) return import(mod)[name](...) end

-- run calls one callback. If it fails, the others still get the message. Callbacks of mods that are
-- no longer loaded are skipped.
local function run(fn, ...)
  local ok, result
  if type(fn) == "string" then
    local mod, name = fn:match("^([^%.]+)%.(.+)$")
    if not pcall(import, mod) then return false end
    ok, result = pcall(callExport, mod, name, ...)
  else
    ok, result = pcall(fn, ...)
  end
  if not ok then warn(result) end
  return ok and result == true
end

function clientCmd.ServerMessage(type, text, ...)
  type = detag(type)
  local shown = true
  for _, fn in ipairs(any) do
    if run(fn, type, text, ...) then shown = false end
  end
  for _, fn in ipairs(byType[type] or {}) do
    if run(fn, type, text, ...) then shown = false end
  end
  if shown then showMessage(tostring(type), tostring(detag(text))) end
end

export("addMessageCallback", addMessageCallback)

-- say sends a chat line.
function say(text) commandToServer("MessageSent", text) end

addCommand {
  name = "say", params = "TEXT", description = "sends a chat line to every player",
  run = function(caller, ...) say(table.concat({ ... }, " ")) end,
}

-- messages.resume takes over the callbacks of other mods after a reload: the names of exports.
function messages.resume(old)
  for _, name in pairs(old.any) do any[#any + 1] = name end
  for type, names in pairs(old.byType) do
    for _, name in pairs(names) do addMessageCallback(type, name) end
  end
end

return messages
