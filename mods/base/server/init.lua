-- The server's half of base. The order matters only in that each file is loaded before it is used.
require "server.names"
require "server.messages"
require "server.phases"
require "server.blocks"
require "server.chat"
require "server.commands"
