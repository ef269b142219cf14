-- The screen: lines of tagged strings, of which only the numbers change, and a table of the scores.
--
--   1  Red 2 : 1 Blue   12:34          3  disc launcher 14   health 80   energy 55
--   2  your flag: home   …             in the middle: the scores, if wanted or when a match is over

local teams = require "server.teams"
local match = require "server.match"
local score = require "server.score"
local flags = require "server.flags"
local loadouts = require "server.loadouts"
local players = require "server.players"
local turns = require "server.turns"
local base = import "base"
local line, toWatchers = base.hud, base.hudWatchers -- line sends a line only if it has changed

local EVERY = 16          -- ticks between two updates of a client's screen
local EVERY_WATCHERS = 64 -- and of the spectators

local hud = {}

local function clock()
  local seconds = math.ceil(match.left() / 1000)
  return ("%d:%02d"):format(math.floor(seconds / 60), seconds % 60)
end

local phases = { none = "", warmup = text "warmup", running = "", over = text "over" }
local NONE, CARRIED, HOME, LIES = text "flag_none", text "flag_carried", text "flag_home", text "flag_lies"
local TITLE, FLAGS, WATCH_FLAGS, BODY, DEAD, KILLED = text "title", text "flags", text "watch_flags", text "body", text "dead", text "killed_by"

local function where(flag)
  if not flag then return NONE end
  local carrier = flag.carrier
  if carrier then return carrier.own.client and carrier.own.client.name or CARRIED end
  return flag.home and HOME or LIES
end

-- What the first two lines show, except the order of the flags, and since when (ms of now()). So a client
-- that has the newest texts needs no comparison.
local titles, places = { since = -1 }, { since = -1 }

-- compose updates titles and places, once per tick for all clients.
local function compose()
  local red, blue, left, phase = teams.points[1], teams.points[2], clock(), phases[match.phase]
  local t = titles
  if red ~= t.red or blue ~= t.blue or left ~= t.left or phase ~= t.phase then
    t.red, t.blue, t.left, t.phase, t.since = red, blue, left, phase, now()
  end
  local p, reds, blues = places, where(flags.of(1)), where(flags.of(2))
  if reds ~= p[1] or blues ~= p[2] then p[1], p[2], p.since = reds, blues, now() end
end

-- Each of these functions writes one part of a client's screen. mine is the client's own table.
local function title(client, mine)
  local t, p, team = titles, places, teams.of(client)
  if mine.title ~= t.since then line(client, 1, TITLE, t.red, t.blue, t.left, t.phase) end
  if mine.places ~= p.since or mine.placesTeam ~= team then
    line(client, 2, FLAGS, p[team], p[teams.enemy(team)])
  end
  mine.title, mine.places, mine.placesTeam = t.since, p.since, team
end

-- Says why a player is dead, and when it is back.
local function death(client, mine)
  local ms = players.back(client)
  if not ms then return line(client, 3, "") end
  local seconds, killer = math.ceil(ms / 1000), mine.killer
  if killer then return line(client, 3, KILLED, killer, seconds) end
  line(client, 3, DEAD, seconds)
end

local function body(client, mine)
  local player = players.alive(client)
  if not player then return death(client, mine) end
  local weapon = loadouts.weapon(player)
  line(client, 3, BODY, loadouts.titles[weapon] or "", loadouts.left(player, weapon) or "",
    math.ceil((1 - player.damageLevel / player.dataBlock.maxDamage) * 100), math.ceil(player.energy / 5) * 5)
end

local COLUMNS = {
  text "column_score", text "column_kills", text "column_captures", text "column_deaths",
  text "column_ping", text "column_team", text "column_player",
}

-- board is the scoreboard: the list that it shows, its element, and since when (ms of now()) it is like
-- this. Elements end with a mission, so another mission has another board.
local board = {}

local function cells(r) return { r.score, r.kills, r.captures, r.deaths, r.ping, teams.names[r.team], r.name } end

-- composeBoard updates board. The element is the same for all: torc sends each client what differs.
local function composeBoard()
  if board.list == score.best then return end
  local rows = {}
  for i, r in ipairs(score.best) do rows[i] = cells(r) end
  board = {
    list = score.best, since = now(),
    element = { name = "scores", at = "center", rows = { { kind = "table", columns = COLUMNS, rows = rows } } },
  }
end

function hud.reset() board = {} end

local function scores(client, mine)
  local shown = (mine.wantsScores or match.phase == "over") and board.since or nil
  if mine.showsScores == shown then return end
  mine.showsScores = shown
  if shown then client:hud(board.element) else client:closeHud "scores" end
end

local function update(client)
  local mine = client.own
  title(client, mine)
  body(client, mine)
  scores(client, mine)
end

local function watches(client) return client.phase == "game" and teams.of(client) end

function hud.toggleScores(client)
  local mine = client.own
  mine.wantsScores = not mine.wantsScores
  if board.since and watches(client) then scores(client, mine) end
end

local updates = turns(EVERY, watches, update, "people")

-- spectators shows the title and the best players to the spectators, who have no screen of their own here.
local function spectators()
  local t, p = titles, places
  toWatchers(1, TITLE, t.red, t.blue, t.left, t.phase)
  toWatchers(2, WATCH_FLAGS, p[1], p[2])
  hudToWatchers(board.element)
end

-- hud.tick updates the screens of one in EVERY clients.
function hud.tick(tick)
  compose()
  composeBoard()
  updates(tick)
  if tick % EVERY_WATCHERS == 0 then spectators() end
end

return hud
