-- Each line that this mod prints begins with "probe" and is read by the simulation.
local life = setting "probe.life" { default = 0, min = 0, max = 200, integer = true, description = "number of this server's life" }

local puppets = setting "probe.puppets" { default = false, description = "gives each player a puppet to move" }

local MOST = 24     -- probes at a time
local KEYS = 6      -- keys of stored values
local EACH = 50000  -- serial numbers of a life

state = { serial = 0, version = 0, stored = 0, block = 0, quiet = false }
local probes = {}

local function say(...) echo("probe", ...) end

for key, value in store:each() do say("has", key, value) end
say("loaded")

local function relabel(p)
  state.version = state.version + 1
  p.a, p.b = state.version, state.version
  if math.random(3) == 1 then p.label = "v" .. state.version end
end

local function rescope(p)
  p.mask = math.random(3) == 1 and 0 or math.random(255)
  local groups = {}
  for i = 0, 7 do
    if math.floor(p.mask / 2 ^ i) % 2 == 1 then groups[#groups + 1] = i end
  end
  p:setScopeGroups(groups)
end

local function make()
  state.serial = state.serial + 1
  local p = new "Probe" { serial = life.value * EACH + state.serial }
  rescope(p)
  relabel(p)
  if math.random(8) == 1 then p:setScopeAlways() end
  probes[#probes + 1] = p
end

local function put()
  state.stored = state.stored + 1
  local key, n = "k" .. math.random(KEYS), life.value * EACH + state.stored
  local value = n
  if math.random(6) == 1 then value = nil end
  say("put", key, n, value and "set" or "gone")
  store:put(key, value, function(ok) say(ok and "ack" or "nak", key, n) end)
end

local function any() return probes[math.random(#probes)] end

function onTick(tick)
  for i = #probes, 1, -1 do
    if not isObject(probes[i]) then table.remove(probes, i) end
  end
  if state.quiet then return end
  if #probes < 6 or #probes < MOST and math.random(12) == 1 then make() end
  if #probes > 6 and math.random(20) == 1 then table.remove(probes, math.random(#probes)):delete() end
  for _ = 1, 2 do relabel(any()) end
  if math.random(10) == 1 then rescope(any()) end
  if math.random(5) == 1 then any().friend = math.random(4) > 1 and any() or nil end
  if tick % 6 == 0 then put() end
  if tick % 60 == 0 then
    state.block = state.block + 1
    datablock "ItemData" "ProbeBlock" { mass = 1, gravityMod = 0, sticky = true, description = tostring(state.block) }
  end
end

-- Numbered commands to each player, ten times a second.
every(100, function()
  if state.quiet then return end
  for _, client in ipairs(players()) do
    if not client.isBot then
      local n = (client.own.down or 0) + 1
      client.own.down = n
      commandToClient(client, "ProbeOrdered", n, tag("number " .. n % 50), n % 50)
      commandToClient.with { guarantee = "guaranteed" } (client, "ProbeSure", n)
      commandToClient.with { guarantee = "none" } (client, "ProbeMaybe", n)
    end
  end
end)

allowCommand("ProbeUp", { args = { "int" } })

function serverCmd.ProbeUp(client, n)
  local want = (client.own.up or 0) + 1
  if n ~= want then say("fault", "V3", "command " .. n .. " of a client came, expected " .. want) end
  client.own.up = n
end

allowCommand("ProbeTag", { args = { "tag", "int" } })

function serverCmd.ProbeTag(client, text, n)
  if detag(text) ~= "up " .. n then say("fault", "V10", "tag " .. detag(text) .. " arrived, expected up " .. n) end
end

-- Timers are never early.
local function timer(due)
  if now() < due then say("fault", "timer", "it ran at " .. now() .. ", due at " .. due) end
  local ms = math.random(0, 400)
  schedule(ms, timer, now() + ms)
end
timer(0)

function GameConnection.onClientEnterGame(client)
  if client.isBot then return end
  local a, b = math.random(0, 3), math.random(4, 7)
  client:setScopeGroups { a, b }
  say("enters", client.key, 2 ^ a + 2 ^ b)
  if puppets.value then
    local puppet = new "Puppet" {}
    client:add(puppet)
    client:setControlObject(puppet)
  end
end

addCommand {
  name = "probe.secret", role = "keeper", chat = true, description = "only for keepers",
  run = function(caller) if caller then say("secret", caller.key) end end,
}

addCommand {
  name = "probe.count", description = "prints how many commands were sent to each player, and have come from them",
  run = function()
    for _, client in ipairs(players()) do
      if not client.isBot then say("count", client.key, client.own.down or 0, client.own.up or 0) end
    end
  end,
}

addCommand {
  name = "probe.quiet", description = "changes nothing any more",
  run = function() state.quiet = true end,
}

function onShutdown() put() end

function onReload(old)
  state = old.state
  for p in objects "Probe" do probes[#probes + 1] = p end
end
