-- Clients send the names of keys that they do not use themselves: "use", "drop", "slot1" to
-- "slot9", "vote yes", "vote no", and the other keys of the client's terminal. A mod handles keys
-- with an override, and calls parent() for all other names:
--   override(serverCmd, "Key", function(parent, client, name) … end)

allowCommand("Key", { args = { "string" }, rate = 10, burst = 20 })

function serverCmd.Key() end
