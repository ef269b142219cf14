-- Deathmatch: the smallest complete game. The first player with enough frags wins the round.
-- Try it:  torc play --mod deathmatch

local base = import "base"

local limit = setting "dm.fragLimit" { default = 20, min = 1, max = 1000, description = "frags needed to win a round" }
local minutes = setting "dm.timeLimit" { default = 10, min = 1, max = 1440, description = "duration of a round in minutes" }

local RESPAWN, PAUSE = 2000, 8000 -- ms
local weapons = { slot1 = "RocketLauncher", slot2 = "RayGun" }
-- waiting: respawns, {client, body, at}. kept: the round that a restart of the server has interrupted.
-- continued: that round goes on.
round = {
  begun = false, mission = nil, running = false, ends = 0, waiting = {}, kept = base.kept "deathmatch round",
  continued = false,
}

-- Bodies -----------------------------------------------------------------------------------------------

local function remove(client)
  if isObject(client.own.body) then client.own.body:delete() end
end

-- spawn gives a client a body: at a spawn point, or as it was before a restart.
local function spawn(client, was)
  if client.phase ~= "game" then return end -- the client is still loading
  remove(client)
  local position, rotation = base.spawnPoint()
  if was then position, rotation = was.position, was.rotation end
  local body = new "Player" { dataBlock = Fighter, position = position, rotation = rotation, shapeName = base.nameTag(client) }
  body:hideField("damageLevel") -- from everybody but its player
  body:hideField("damageLevel", client, false)
  body.own.client, client.own.body = client, body
  client:add(body) -- deleted when the client leaves
  body:mountImage(find(weapons.slot1), 0)
  body.damageLevel = was and was.damage or 0
  client:setControlObject(body)
end

-- The tag of a body follows the name of its client.
function onRename(client)
  local body = client.own.body
  if isObject(body) then body.shapeName = base.nameTag(client) end
end

function GameConnection.onClientEnterGame(client)
  local kept = round.continued and not client.own.frags and not client.isBot and base.kept("deathmatch " .. client.key)
  client.own.frags = client.own.frags or kept and kept.frags or 0
  spawn(client, kept and kept.body)
end

local function keep(client)
  local body = client.own.body
  local alive = isObject(body) and not body:isDestroyed()
  base.keep("deathmatch " .. client.key, {
    frags = client.own.frags,
    body = alive and { position = body.position, rotation = body.rotation, damage = body.damageLevel } or nil,
  })
end

-- Before a restart, the round and its players are stored.
function onShutdown(restarts)
  if not restarts or not round.mission then return end
  base.keep("deathmatch round", { mission = round.mission, running = round.running, left = math.max(0, round.ends - now()) })
  for client in clientGroup:each() do
    if not client.isBot and client.own.frags then pcallFor(client, keep) end
  end
end

-- Scoreboard -------------------------------------------------------------------------------------------

local COLUMNS = { text "column_frags", text "column_ping", text "column_player" }

-- scoreboard is the element of the HUD with the best players. It is the same for all: torc sends each
-- client what differs.
local scoreboard

local function cells(entry)
  local client = entry.client
  return { entry.frags, client.isBot and "bot" or math.ceil(client.ping), client.name }
end

local function compose(list)
  local rows = {}
  for _, entry in ipairs(list) do
    if isObject(entry.client) then rows[#rows + 1] = cells(entry) end
  end
  scoreboard = { name = "scores", at = "center", rows = { { kind = "table", columns = COLUMNS, rows = rows } } }
end

-- scores shows the scoreboard to a client that has asked for it, and to everybody between two rounds.
local function scores(client)
  if scoreboard and (client.own.wantsScores or not round.running) then client:hud(scoreboard) else client:closeHud "scores" end
end

-- The client sends the name of every key that it does not use itself.
override(serverCmd, "Key", function(parent, client, name)
  local body = client.own.body
  if name == "scores" then
    client.own.wantsScores = not client.own.wantsScores
    if client.phase == "game" then scores(client) end
  elseif weapons[name] and isObject(body) and not body:isDestroyed() then
    body:mountImage(find(weapons[name]), 0)
  else
    parent()
  end
end)

-- Frags ------------------------------------------------------------------------------------------------

-- row returns the entry of a client in the ranking. It fails if the client's frags are no number.
local function row(client) return { client = client, id = client.id, frags = client.own.frags + 0 } end

local function before(a, b)
  if a.frags ~= b.frags then return a.frags > b.frags end
  return a.id < b.id
end

-- leader returns the entry of the best client, nil if there is none. pcallFor skips a client for which
-- row fails.
local function leader()
  local best
  for client in clientGroup:each() do
    local ok, entry = false, nil
    if client.own.frags then ok, entry = pcallFor(client, row) end
    if ok and (not best or before(entry, best)) then best = entry end
  end
  return best
end

local function reset(client)
  client.own.frags = 0
  spawn(client)
end

local function begin()
  round.running, round.ends, round.continued = true, now() + minutes.value * 60000, false
  for client in clientGroup:each() do
    if client.own.frags then pcallFor(client, reset) end
  end
  base.messageAll("MsgRound", text("first_to", limit.value))
end

local function finish()
  round.running, round.ends = false, now() + PAUSE
  local best = leader()
  if not best then return end
  base.messageAll("MsgRoundEnd", text("wins", best.client.name, best.frags))
  broadcast("onRoundEnd", best.client, best.frags) -- for other mods: a global function onRoundEnd
end

-- again respawns a dead player, unless a new round has already given the client another body.
local function again(entry)
  for i, other in ipairs(round.waiting) do
    if other == entry then table.remove(round.waiting, i) break end
  end
  if isObject(entry.client) and entry.client.own.body == entry.body then pcallFor(entry.client, spawn) end
end

local function wait(ms, client, body)
  local entry = { client = client, body = body, at = now() + ms }
  table.insert(round.waiting, entry)
  schedule(ms, again, entry)
end

local function frag(client)
  client.own.frags = client.own.frags + 1
  broadcast("onFrag", client)
  if client.own.frags >= limit.value then finish() end
end

-- Shows attackers that they have hit.
function Fighter:onDamage(player, amount, source)
  local attacker = source and isObject(source) and source.own.client
  if attacker and attacker ~= player.own.client and isObject(attacker) then base.showHit(attacker) end
end

-- Runs when a player dies. source is the attacker, or nil.
function Fighter:onDestroyed(player, source, type)
  local victim = player.own.client
  if not victim or not isObject(victim) then return end
  local killer = source and isObject(source) and source.own.client
  if killer and killer ~= victim and isObject(killer) then
    base.messageAll("MsgFrag", text("fragged", victim.name, killer.name))
    if round.running then pcallFor(killer, frag) end
  else
    base.messageAll("MsgFrag", text("alone", victim.name))
  end
  wait(RESPAWN, victim, player)
end

-- Missions ---------------------------------------------------------------------------------------------

function onMissionLoaded(_, name)
  local kept = round.kept
  round.mission = name
  if not kept or kept.mission ~= name then return begin() end
  round.kept, round.continued = nil, true
  round.running, round.ends = kept.running, now() + kept.left
end

function onMissionEnd()
  for client in clientGroup:each() do pcallFor(client, remove) end
end

local first = schedule(0, function()
  round.begun = true
  if round.kept and pcall(loadMission, round.kept.mission) then return end
  round.kept = nil
  if not round.mission then loadMission "arena" end -- started without --mission
end)

-- After a reload: continues the round, and restarts the respawn timers.
function onReload(old)
  if old.round.begun then cancel(first) end
  local waiting = old.round.waiting
  round = old.round
  round.waiting = {}
  for _, entry in ipairs(waiting) do wait(math.max(0, entry.at - now()), entry.client, entry.body) end
end

-- Turns ------------------------------------------------------------------------------------------------

-- Line 1 is the clock.
local CLOCK, NEXT, WATCH_CLOCK, WATCH_NEXT = text "clock", text "next_round", text "watch_clock", text "watch_next"

-- show updates the screen of a client.
local function show(client)
  local left = math.max(0, math.ceil((round.ends - now()) / 1000))
  base.hud(client, 1, round.running and CLOCK or NEXT, client.own.frags,
    math.floor(left / 60), ("%02d"):format(left % 60))
  scores(client)
end

local function spectators()
  local left = math.max(0, math.ceil((round.ends - now()) / 1000))
  base.hudWatchers(1, round.running and WATCH_CLOCK or WATCH_NEXT, math.floor(left / 60), ("%02d"):format(left % 60))
  if scoreboard then hudToWatchers(scoreboard) end
end

-- Each client has its turn once in EVERY ticks, so that a hundred of them need not wait for one tick. In
-- its turn it enters rows, the best players of these ticks so far. Then the scoreboard shows them.
local EVERY, ROWS = 32, 10
local clients, rows -- nil at first and after a reload

local function turn(client)
  if not client.own.frags then return end
  local entry, i = row(client), #rows + 1
  while i > 1 and before(entry, rows[i - 1]) do
    rows[i], i = rows[i - 1], i - 1
  end
  rows[i] = entry
  rows[ROWS + 1] = nil
  if not client.isBot then show(client) end
end

function onTick(tick)
  if not round.mission then return end
  if now() >= round.ends then
    if round.running then finish() else begin() end
  end
  local at = tick % EVERY
  if at == 0 then
    if rows then compose(rows) end
    clients, rows = players(), {}
    spectators()
  end
  for i = at + 1, clients and #clients or 0, EVERY do
    if isObject(clients[i]) then pcallFor(clients[i], turn) end
  end
end
