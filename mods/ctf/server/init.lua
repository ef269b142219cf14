-- Capture the flag. This file connects the other files of the mod with the events of the game:
--
--   teams     members and points of the teams            flags      take, drop, return, capture
--   score     points of players                          stations   refill and choose a loadout
--   match     warm-up, clock, limits, next mission       vehicles   pads, and getting in
--   loadouts  armor and weapons                          defences   rebuilding turrets
--   players   spawn, death, respawn                      hud        the text on the screen
--   chat      team chat, changing teams                  bots       players without a person
--   votes     map and kick                               turns      work spread over ticks
--   voices    the V menu
--                                                        ground     for missions: ground height
--   restart   match and players over a restart           supplies   ammunition that lies about
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
require "server.voices"
local votes = require "server.votes"
local bots = require "server.bots"
local restart = require "server.restart"
local messageAll = import "base".messageAll

-- A client that enters the game for the first time joins a team, or is back after a restart. It gets a
-- body in every mission.
function GameConnection.onClientEnterGame(client)
  if not teams.of(client) then
    local ok, back = pcallFor(client, restart.giveBack)
    if ok and back then return end
    teams.join(client, teams.smaller())
    score.clear(client)
  end
  pcallFor(client, players.spawn)
end

function GameConnection.onDrop(client)
  flags.dropped(players.body(client))
  votes.left(client)
end

-- The match sends these events to all mods (server/match.lua). Here ctf handles them.
function onMatchWarmup() teams.balance() end

function onMatchStart()
  score.clearAll()
  flags.reset()
  players.spawnAll()
  messageAll("MsgMatchStart", text("match_start", match.scoreLimit()))
end

function onMatchEnd(winner)
  flags.reset()
  if winner then
    messageAll("MsgMatchEnd", text("match_won", teams.names[winner], teams.points[winner], teams.points[teams.enemy(winner)]))
  else
    messageAll("MsgMatchEnd", text("match_draw", teams.points[1], teams.points[2]))
  end
end

function onMissionEnd()
  match.stop()
  votes.stop()
  players.removeAll()
  hud.reset()
end

function onMissionLoaded(seq, name) match.begin(name) end

function onShutdown(restarts)
  if restarts then restart.keep() end
end

-- After a reload: takes over the state that is not in the own tables of objects, and schedules the
-- lost timers again.
function onReload(old)
  teams.resume(old:module "server.teams")
  match.resume(old:module "server.match")
  score.resume(old:module "server.score")
  flags.resume()
  players.resume(old:module "server.players")
  vehicles.resume()
  defences.resume()
  votes.resume(old:module "server.votes")
end

function onTick(tick)
  if match.tick() then return end -- a new phase respawns everybody: that is work enough for a tick
  vehicles.tick(tick)
  votes.tick()
  score.tick(tick)
  hud.tick(tick)
  bots.tick(tick)
end
