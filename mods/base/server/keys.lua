-- Keys that mean nothing to a client itself are told to the server by their names: "use", "drop", "slot1" to
-- "slot9", "vote yes", "vote no" and whatever else the client's terminal knows. A mod that cares writes
--   override(serverCmd, "Key", function(parent, client, name) … end)
-- and calls parent() for names that are not its own.

allowCommand("Key", { args = { "string" }, rate = 10, burst = 20 })

function serverCmd.Key() end
