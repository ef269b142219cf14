-- Clients send the names of keys that they do not use themselves: "use", "drop", "loadout", "slot1" to
-- "slot9", "team", "vote yes", "vote no" and "scores". "cancel" comes when a player closes a menu without a choice. A mod handles keys
-- with an override, and calls parent() for all other names:
--   override(serverCmd, "Key", function(parent, client, name) … end)

allowCommand("Key", { args = { "string" }, rate = 10, burst = 20 })

-- What the menu of a browser offers, and a game can be without.
local choices = { team = text "no_teams", loadout = text "no_loadouts" }

-- The open menus, by the id of the client. A reload closes the forms, so it also ends the menus.
local menus = {}

function serverCmd.Key(client, name)
  if name == "cancel" then closeMenu(client) end
  if choices[name] then messageClient(client, "MsgKey", choices[name]) end
end

-- Menus: up to nine choices, as a form with a button for each. A button is the key slot1 to slot9: it
-- runs serverCmd.Key with its overrides, as if the client had sent it. Clients can also send the key.

local OPEN = 15000 -- ms
local TITLE = 128  -- bytes of the title of a form

-- pressed ends a menu with the choice of its player, or without one.
local function pressed(client, open, values)
  if menus[client.id] ~= open then return end -- closed by the server, or by a key
  if values then client:runCommand("Key", values.button) end
  if menus[client.id] ~= open then return end -- an override of Key has called menuKey
  menus[client.id] = nil
  if not values and not client.own.gone then
    schedule(0, function() if isObject(client) then client:runCommand("Key", "cancel") end end)
  end
end

-- menu shows choices to a client. Title and choices can be texts. The choice comes to menuKey, with the name of the menu.
function menu(client, name, title, choices)
  if client.isBot or client.own.gone then return end
  if #choices < 1 or #choices > 9 then error("a menu has 1 to 9 choices, not " .. #choices, 2) end
  local rows, open, head = {}, { name = name, n = #choices }, textFor(client, title)
  if #head > TITLE or head:find "\n" then rows[1], head = { kind = "text", text = head }, "" end
  for i, choice in ipairs(choices) do rows[#rows + 1] = { kind = "button", name = "slot" .. i, text = textFor(client, choice) } end
  menus[client.id] = open
  client:form { name = "menu", title = head, rows = rows, done = function(c, values) pressed(c, open, values) end }
  schedule(OPEN, function() if menus[client.id] == open then closeMenu(client) end end)
end

-- closeMenu closes the menu of a client, if one is open.
function closeMenu(client)
  if not menus[client.id] then return end
  menus[client.id] = nil
  client:closeForm "menu"
end

-- menuKey returns the name of the menu and the number of the choice if a key chooses from the open
-- menu of a client, and closes the menu. A mod calls it in its override of Key.
function menuKey(client, key)
  local open, n = menus[client.id], tonumber(key:match "^slot(%d)$")
  if open and (n or key == "cancel") then closeMenu(client) end
  if open and n and n >= 1 and n <= open.n then return open.name, n end
end

export("menu", menu)
export("closeMenu", closeMenu)
export("menuKey", menuKey)
