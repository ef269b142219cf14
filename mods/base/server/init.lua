-- The server's half of base. The order matters only in that each file is loaded before it is used.
require "server.names"
require "server.messages"
local phases = require "server.phases"
local blocks = require "server.blocks"
require "server.chat"
require "server.spawn"
require "server.hud"
require "server.keys"
require "server.bots"
local quota = require "server.quota"
require "server.commands"

-- The files have changed: what is not in objects' own tables is taken over from the old version.
function onReload(old)
  phases.resume(old:module "server.phases")
  blocks.resume(old:module "server.blocks")
  quota.resume(old:module "server.quota")
end

function onTick(tick)
  blocks.tick()
  bots.tick(tick)
end
