-- Messages from the server: shown, and told to whoever asked for their type.

local any, byType = {}, {}
local messages = { any = any, byType = byType }

-- addMessageCallback calls fn(type, text, ...) for each message of a type, or of any type when it is
-- nil. A callback that returns true keeps the message from being shown. Another mod names one of its
-- exports instead of a function: addMessageCallback("MsgChat", "mymod.onChatLine").
function addMessageCallback(type, fn)
  if type == nil then
    any[#any + 1] = fn
    return
  end
  type = detag(type)
  byType[type] = byType[type] or {}
  table.insert(byType[type], fn)
end

-- run calls one callback. One that fails must not keep the message from the others.
local function run(fn, ...)
  if type(fn) == "string" then
    local mod, name = fn:match("^([^%.]+)%.(.+)$")
    fn = import(mod)[name]
  end
  local ok, result = pcall(fn, ...)
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
  if shown then echo(detag(text)) end
end

export("addMessageCallback", addMessageCallback)

-- say sends a chat line.
function say(text) commandToServer("MessageSent", text) end

addCommand {
  name = "say", params = "TEXT", description = "says a line to everybody in the game",
  run = function(caller, ...) say(table.concat({ ... }, " ")) end,
}

-- messages.resume takes over the callbacks of other mods, which go by their names.
function messages.resume(old)
  for _, name in pairs(old.any) do any[#any + 1] = name end
  for type, names in pairs(old.byType) do
    for _, name in pairs(names) do addMessageCallback(type, name) end
  end
end

return messages
