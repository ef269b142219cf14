-- The client side of base.
local messages = require "client.messages"
require "client.phases"
local hud = require "client.hud"

function onReload(old)
  messages.resume(old:module "client.messages")
  hud.resume(old:module "client.hud")
end
