-- The server side of base. Each file must be loaded before another one uses it.
local names = require "server.names"
require "server.messages"
local phases = require "server.phases"
local blocks = require "server.blocks"
require "server.chat"
require "server.spawn"
local teams = require "server.teams"
require "server.waypoints"
require "server.hud"
local voicemenu = require "server.voicemenu"
require "server.keys"
local inventory = require "server.inventory"
require "server.bots"
local quota = require "server.quota"
require "server.commands"
local restart = require "server.restart"

-- After a reload: takes over the state that is not in the own tables of objects.
function onReload(old)
  names.resume()
  phases.resume(old:module "server.phases")
  blocks.resume(old:module "server.blocks")
  teams.resume(old:module "server.teams")
  voicemenu.resume(old:module "server.voicemenu")
  quota.resume(old:module "server.quota")
  restart.resume(old:module "server.restart")
  inventory.resume()
end

function onTick(tick)
  blocks.tick()
  bots.tick(tick)
end

-- Tells everybody that the server takes nobody in any more. The engine sends the players on.
function onDrain() messageAll("MsgDrain", text("draining")) end
