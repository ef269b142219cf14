-- What is on the screen: lines of tagged strings. A text crosses the wire once, then only the numbers in it.
--
--   1  Red 2 : 1 Blue   12:34          3  DiscLauncher 14   health 80   energy 55
--   2  your flag: home   …             4…14  the scores, if wanted or when a match is over

local teams = require "server.teams"
local match = require "server.match"
local score = require "server.score"
local flags = require "server.flags"
local loadouts = require "server.loadouts"
local players = require "server.players"
local line = import "base".hud -- sends only what differs from what is there

local EVERY = 16           -- ticks between two looks at one client's screen
local SCORES, ROWS = 4, 10 -- line of the heading, and how many players follow

local hud = {}

local function clock()
  local seconds = math.ceil(match.left() / 1000)
  return ("%d:%02d"):format(math.floor(seconds / 60), seconds % 60)
end

local phases = { none = "", warmup = "warm-up", running = "", over = "over" }

local function where(flag)
  if not flag then return "none" end
  if flag.carrier then return flag.carrier.own.client.name end
  return flag.home and "home" or "dropped"
end

-- The parts of the screen, each written for one client.
local function title(client)
  line(client, 1, "Red %1 : %2 Blue   %3 %4", teams.points[1], teams.points[2], clock(), phases[match.phase])
  local team = teams.of(client)
  line(client, 2, "your flag: %1   theirs: %2", where(flags.of(team)), where(flags.of(teams.enemy(team))))
end

local function body(client)
  local player = players.alive(client)
  if not player then return line(client, 3, "") end
  local data = player.dataBlock
  line(client, 3, "%1 %2   health %3   energy %4", loadouts.weapon(player) or "", loadouts.left(player) or "",
    math.ceil((1 - player.damageLevel / data.maxDamage) * 100), math.ceil(player.energy / 5) * 5)
end

local function scores(client)
  local mine = client.own
  local wanted = mine.wantsScores or match.phase == "over"
  if not wanted and not mine.showsScores then return end
  mine.showsScores = wanted
  local list = wanted and score.ranking() or {}
  line(client, SCORES, wanted and "score  kills  captures  deaths" or "")
  for i = 1, ROWS do
    local other = list[i]
    if other then
      local own = other.own
      line(client, SCORES + i, "%1  %2  %3  %4   %5 (%6)", own.score, own.did.kill, own.did.capture, own.deaths,
        other.name, teams.names[own.team])
    else
      line(client, SCORES + i, "")
    end
  end
end

function hud.toggleScores(client) client.own.wantsScores = not client.own.wantsScores end

-- hud.tick looks at some clients in each tick, so that a hundred cost no more at once than a few.
function hud.tick(tick)
  local turn = tick % EVERY
  for client in clientGroup:each() do
    if not client.isBot and client.phase == "game" and teams.of(client) then
      if turn == 0 then
        title(client)
        body(client)
        scores(client)
      end
      turn = (turn + 1) % EVERY
    end
  end
end

return hud
