-- Console commands with which an operator talks to the players. These lines begin with ***. A
-- player's line begins with the player's name, and a name has no * in it.

local names = require "server.names"

addCommand {
  name = "say", params = "TEXT", description = "shows a line to every player",
  run = function(caller, ...)
    local line = names.plain(table.concat({ ... }, " "), 256)
    if line ~= "" then messageAll("MsgServer", text("server_says", line)) end
  end,
}
