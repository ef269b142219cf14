-- Points of players. Captures also count for the team (server/flags.lua).

local teams = require "server.teams"
local turns = require "server.turns"

local ROWS = 10  -- number of the best players
local EVERY = 16 -- ticks of a round, in which each player is looked at once

local score = { worth = { kill = 1, teamkill = -1, carrierkill = 2, flagreturn = 2, capture = 5 } }

-- score.clear resets a client's score.
function score.clear(client)
  client.own.score, client.own.deaths = 0, 0
  client.own.did = { kill = 0, teamkill = 0, carrierkill = 0, flagreturn = 0, capture = 0 }
end

-- score.add counts an action of a client. what is a name in score.worth.
function score.add(client, what)
  local own = client.own
  own.did[what] = own.did[what] + 1
  own.score = own.score + score.worth[what]
end

function score.died(client) client.own.deaths = client.own.deaths + 1 end

function score.clearAll()
  for client in clientGroup:each() do
    if teams.of(client) then score.clear(client) end
  end
end

-- score.best are the best players, best first. It is made over the ticks of a round, in rows. best.since
-- is the tick of its last change, so that a client that has seen it needs no comparison.
score.best = { since = 0 }
local rows

local function before(a, b)
  if a.score ~= b.score then return a.score > b.score end
  return a.id < b.id
end

-- row returns the score of a client. It fails if the client has no complete score.
local function row(client)
  local own = client.own
  return {
    client = client, id = client.id, name = client.name, team = teams.of(client), ping = client.isBot and "bot" or math.ceil(client.ping),
    score = own.score + 0, deaths = own.deaths + 0, kills = own.did.kill + 0, captures = own.did.capture + 0,
  }
end

-- consider puts a client into rows if it is among the best so far.
local function consider(client)
  local points, last = client.own.score, rows[ROWS]
  if last and (points < last.score or points == last.score and client.id > last.id) then return end
  local r, i = row(client), math.min(#rows + 1, ROWS)
  while i > 1 and before(r, rows[i - 1]) do
    rows[i], i = rows[i - 1], i - 1
  end
  rows[i] = r
end

-- same reports whether two lists of rows are equal.
local function same(a, b)
  if #a ~= #b then return false end
  for i, r in ipairs(a) do
    for key, value in pairs(r) do
      if b[i][key] ~= value then return false end
    end
  end
  return true
end

local consideration = turns(EVERY, teams.of, consider)

-- score.tick looks at one in EVERY players, and renews score.best at the end of a round.
function score.tick(tick)
  local at = tick % EVERY
  if at == 0 then rows = {} end
  if not rows then return end -- after a reload within a round
  consideration(tick)
  if at < EVERY - 1 then return end
  if not same(rows, score.best) then score.best, rows.since = rows, tick end
  rows = nil
end

-- score.resume keeps the list after a reload.
function score.resume(old) score.best = old.best end

return score
