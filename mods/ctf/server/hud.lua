-- The screen: lines of tagged strings. A text is sent once; after that, only its numbers.
--
--   1  Red 2 : 1 Blue   12:34          3  DiscLauncher 14   health 80   energy 55
--   2  your flag: home   …             4…14  the scores, if wanted or when a match is over

local teams = require "server.teams"
local match = require "server.match"
local score = require "server.score"
local flags = require "server.flags"
local loadouts = require "server.loadouts"
local players = require "server.players"
local turns = require "server.turns"
local base = import "base"
local line, toWatchers = base.hud, base.hudWatchers -- line sends a line only if it has changed

local EVERY = 16           -- ticks between two updates of a client's screen
local EVERY_WATCHERS = 64  -- and of the spectators
local SCORES, ROWS = 4, 10 -- line of the heading, and number of players below it

local hud = {}

local function clock()
  local seconds = math.ceil(match.left() / 1000)
  return ("%d:%02d"):format(math.floor(seconds / 60), seconds % 60)
end

local phases = { none = "", warmup = "warm-up", running = "", over = "over" }

local function where(flag)
  if not flag then return "none" end
  local carrier = flag.carrier
  if carrier then return carrier.own.client and carrier.own.client.name or "taken" end
  return flag.home and "home" or "dropped"
end

-- What the first two lines show, except the order of the flags, and since when (ms of now()). So a client
-- that has the newest texts needs no comparison.
local titles = { since = -1 }

-- compose updates titles, once per tick for all clients.
local function compose()
  local red, blue, left, phase = teams.points[1], teams.points[2], clock(), phases[match.phase]
  local reds, blues = where(flags.of(1)), where(flags.of(2))
  local t = titles
  if red == t.red and blue == t.blue and left == t.left and phase == t.phase and reds == t[1] and blues == t[2] then return end
  t.red, t.blue, t.left, t.phase, t[1], t[2], t.since = red, blue, left, phase, reds, blues, now()
end

-- Each of these functions writes one part of a client's screen.
local function title(client)
  local t, mine, team = titles, client.own, teams.of(client)
  if mine.title == t.since and mine.titleTeam == team then return end
  line(client, 1, "Red %1 : %2 Blue   %3 %4", t.red, t.blue, t.left, t.phase)
  line(client, 2, "your flag: %1   theirs: %2", t[team], t[teams.enemy(team)])
  mine.title, mine.titleTeam = t.since, team
end

-- Says why a player is dead, and when it is back.
local function death(client)
  local ms = players.back(client)
  if not ms then return line(client, 3, "") end
  local seconds, killer = math.ceil(ms / 1000), client.own.killer
  if killer then return line(client, 3, "killed by %1   back in %2 s", killer, seconds) end
  line(client, 3, "dead   back in %1 s", seconds)
end

local function body(client)
  local player = players.alive(client)
  if not player then return death(client) end
  local weapon = loadouts.weapon(player)
  line(client, 3, "%1 %2   health %3   energy %4", weapon or "", loadouts.left(player, weapon) or "",
    math.ceil((1 - player.damageLevel / player.dataBlock.maxDamage) * 100), math.ceil(player.energy / 5) * 5)
end

-- Two spaces or more are between two columns of the scores: browsers show a table.
local HEADING = "score  kills  captures  deaths  ping  team  player"

-- row writes a row of the scores with write(line, …).
local function row(write, at, r)
  local client = r.client
  write(at, "%1  %2  %3  %4  %5  %6  %7", r.score, r.kills, r.captures, r.deaths,
    client.isBot and "bot" or math.ceil(client.ping), teams.names[r.team], client.name)
end

local function scores(client)
  local mine = client.own
  local wanted = mine.wantsScores or match.phase == "over"
  if not wanted and not mine.showsScores then return end
  mine.showsScores = wanted
  local list = wanted and score.ranking() or {}
  line(client, SCORES, wanted and HEADING or "")
  local function write(...) line(client, ...) end
  for i = 1, ROWS do
    if list[i] then row(write, SCORES + i, list[i]) else line(client, SCORES + i, "") end
  end
end

local function update(client)
  title(client)
  body(client)
  scores(client)
end

function hud.toggleScores(client) client.own.wantsScores = not client.own.wantsScores end

local function watches(client) return not client.isBot and client.phase == "game" and teams.of(client) end

local updates = turns(EVERY, watches, update)

-- spectators shows the title and the best players to the spectators, who have no screen of their own here.
local function spectators()
  local t = titles
  toWatchers(1, "Red %1 : %2 Blue   %3 %4", t.red, t.blue, t.left, t.phase)
  toWatchers(2, "red flag: %1   blue flag: %2", t[1], t[2])
  local list = score.ranking()
  toWatchers(SCORES, HEADING)
  for i = 1, ROWS do
    if list[i] then row(toWatchers, SCORES + i, list[i]) else toWatchers(SCORES + i, "") end
  end
end

-- hud.tick updates the screens of one in EVERY clients.
function hud.tick(tick)
  compose()
  updates(tick)
  if tick % EVERY_WATCHERS == 0 then spectators() end
end

return hud
