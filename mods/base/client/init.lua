-- The client's half of base.
require "client.messages"
require "client.phases"
require "client.hud"
