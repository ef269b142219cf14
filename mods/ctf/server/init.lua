-- Capture the flag. This page is the game in short: what comes to pass, and which file looks after it.
--
--   teams     who is in which team, and their points       flags      taken, dropped, returned, captured
--   score     what players get points for                  stations   refill, and choose a loadout
--   match     warm-up, clock, limits, the next mission     vehicles   pads, and getting in
--   loadouts  armor and weapons                            defences   turrets and stations are rebuilt
--   players   spawn, die, respawn                          hud        what everybody's screen says
--   chat      to one's own team                            bots       players that nobody plays
--   votes     map and kick                                 ground     for missions: where the ground is
require "server.ground"
local teams = require "server.teams"
local match = require "server.match"
local score = require "server.score"
local flags = require "server.flags"
local players = require "server.players"
require "server.stations"
local vehicles = require "server.vehicles"
local defences = require "server.defences"
local hud = require "server.hud"
require "server.keys"
require "server.chat"
local votes = require "server.votes"
local bots = require "server.bots"
local messageAll = import "base".messageAll

-- A client plays: it is in a team from its first mission on, and gets a body.
function GameConnection.onClientEnterGame(client)
  if not teams.of(client) then
    teams.join(client, teams.smaller())
    score.clear(client)
  end
  players.spawn(client)
end

function GameConnection.onDrop(client)
  flags.dropped(players.body(client))
  votes.left(client)
end

-- The match tells all mods of what happens in it (server/match.lua); this is what ctf makes of it.
function onMatchWarmup() teams.balance() end

function onMatchStart()
  score.clearAll()
  flags.reset()
  players.spawnAll()
  messageAll("MsgMatchStart", "The match has begun. First to %1 captures.", match.scoreLimit())
end

function onMatchEnd(winner)
  flags.reset()
  if winner then
    messageAll("MsgMatchEnd", "%1 wins, %2 to %3.", teams.names[winner], teams.points[winner], teams.points[teams.enemy(winner)])
  else
    messageAll("MsgMatchEnd", "A draw, %1 to %2.", teams.points[1], teams.points[2])
  end
end

function onMissionEnd()
  match.stop()
  votes.stop()
  players.removeAll()
end

function onMissionLoaded(seq, name) match.begin(name) end

-- The files have changed and the game goes on: what is not in objects' own tables is taken over from the old
-- version. Timers are gone with it, so what was to come is scheduled anew.
function onReload(old)
  teams.resume(old:module "server.teams")
  match.resume(old:module "server.match")
  flags.resume()
  players.resume(old:module "server.players")
  vehicles.resume()
  defences.resume()
  votes.resume(old:module "server.votes")
end

function onTick(tick)
  match.tick()
  vehicles.tick(tick)
  votes.tick()
  hud.tick(tick)
  bots.tick(tick)
end
