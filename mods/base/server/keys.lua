-- Clients send the names of keys that they do not use themselves: "use", "drop", "loadout", "slot1" to
-- "slot9", "team", "vote yes", "vote no", "scores", and "cancel" when a player closes a menu without a choice. A mod handles keys
-- with an override, and calls parent() for all other names:
--   override(serverCmd, "Key", function(parent, client, name) … end)

allowCommand("Key", { args = { "string" }, rate = 10, burst = 20 })

-- What the menu of a browser offers, and a game can be without.
local choices = { team = text "no_teams", loadout = text "no_loadouts" }

function serverCmd.Key(client, name)
  if name == "cancel" then client.own.menu = nil end
  if choices[name] then messageClient(client, "MsgKey", choices[name]) end
end

-- Menus: a list of up to nine choices. Clients choose with the number keys. Clients in a browser also
-- click or tap. A menu is a message of the type MsgMenu: the title, and a line for each choice. The
-- message without a text closes the menu.

local OPEN = 15000 -- ms; the clients close the menu after the same time

-- menu shows choices to a client. Title and choices can be texts. The choice comes to menuKey, with the name of the menu.
function menu(client, name, title, choices)
  if client.isBot or client.own.gone then return end
  if #choices < 1 or #choices > 9 then error("a menu has 1 to 9 choices, not " .. #choices, 2) end
  local lines = { textFor(client, title) }
  for i, choice in ipairs(choices) do lines[i + 1] = i .. "  " .. textFor(client, choice) end
  client.own.menu = { name = name, n = #choices, ends = now() + OPEN }
  messageClient(client, "MsgMenu", table.concat(lines, "\n"))
end

-- closeMenu closes the menu of a client, if one is open.
function closeMenu(client)
  local open = client.own.menu
  if not open or client.own.gone then return end
  client.own.menu = nil
  if now() < open.ends then messageClient(client, "MsgMenu", "") end
end

-- menuKey returns the name of the menu and the number of the choice if a key chooses from the open
-- menu of a client, and closes the menu. A mod calls it in its override of Key.
function menuKey(client, key)
  local open, n = client.own.menu, tonumber(key:match "^slot(%d)$")
  if key == "cancel" then client.own.menu = nil end
  if not open or not n then return nil end
  client.own.menu = nil
  if n >= 1 and n <= open.n and now() < open.ends then return open.name, n end
end

export("menu", menu)
export("closeMenu", closeMenu)
export("menuKey", menuKey)
