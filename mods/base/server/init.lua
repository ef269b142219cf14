-- The server's half of base. The order matters only in that each file is loaded before it is used.
require "server.names"
require "server.messages"
require "server.phases"
local blocks = require "server.blocks"
require "server.chat"
require "server.spawn"
require "server.hud"
require "server.keys"
require "server.bots"
require "server.quota"
require "server.commands"

function onTick(tick)
  blocks.tick()
  bots.tick(tick)
end
