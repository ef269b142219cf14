-- Clients send the names of keys that they do not use themselves: "use", "drop", "slot1" to
-- "slot9", "vote yes", "vote no", and the other keys of the client's terminal. A mod handles keys
-- with an override, and calls parent() for all other names:
--   override(serverCmd, "Key", function(parent, client, name) … end)

allowCommand("Key", { args = { "string" }, rate = 10, burst = 20 })

function serverCmd.Key() end

-- Menus: a list of up to nine choices. Clients choose with the number keys.

local OPEN = 15000 -- ms

-- menu shows choices to a client. The choice comes to menuKey, with the name of the menu.
function menu(client, name, title, choices)
  if client.isBot or client.own.gone then return end
  if #choices < 1 or #choices > 9 then error("a menu has 1 to 9 choices, not " .. #choices, 2) end
  local lines = { title }
  for i, choice in ipairs(choices) do lines[i + 1] = i .. "  " .. choice end
  client.own.menu = { name = name, n = #choices, ends = now() + OPEN }
  messageClient(client, "MsgMenu", "%1", table.concat(lines, "\n"))
end

-- menuKey returns the name of the menu and the number of the choice if a key chooses from the open
-- menu of a client, and closes the menu. A mod calls it in its override of Key.
function menuKey(client, key)
  local open, n = client.own.menu, tonumber(key:match "^slot(%d)$")
  if not open or not n then return nil end
  client.own.menu = nil
  if n >= 1 and n <= open.n and now() < open.ends then return open.name, n end
end

export("menu", menu)
export("menuKey", menuKey)
