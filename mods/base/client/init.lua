-- The client side of base.
local messages = require "client.messages"
local phases = require "client.phases"
local hud = require "client.hud"
local voicemenu = require "client.voicemenu"

function onReload(old)
  messages.resume(old:module "client.messages")
  phases.resume(old:module "client.phases")
  hud.resume(old:module "client.hud")
  voicemenu.resume(old:module "client.voicemenu")
end
