-- Flags. An enemy who touches a flag takes it, and drops it on death. A dropped flag returns when a
-- teammate touches it, or after some time. A player who brings the enemy's flag to the own flag
-- captures it, if the own flag is at home.

local teams = require "server.teams"
local match = require "server.match"
local score = require "server.score"
local messageAll = import "base".messageAll

local REACH = 2     -- metres: range in which a player touches a flag
local THROWN = 1500 -- ms during which a player who dropped a flag cannot take it again
local waits = setting "ctf.flagReturn" { default = 45, min = 1, max = 600, description = "seconds until a dropped flag returns by itself" }

local flags, list = {}, {} -- list: the flag of each team

-- The place where a mission creates a flag becomes its stand.
function Flag:onAdd()
  list[self.team] = self
  self.own.stand = self.position
  self:setScopeAlways() -- clients always know where the flags are
end

function Flag:onRemove()
  if list[self.team] == self then list[self.team] = nil end
end

-- flags.of returns a team's flag, or nil if the mission has none or it was deleted.
function flags.of(team) return isObject(list[team]) and list[team] or nil end

-- flags.carried returns the flag that a player carries, or nil.
function flags.carried(player)
  for team = 1, 2 do
    local flag = flags.of(team)
    if flag and flag.carrier == player then return flag end
  end
end

local function goHome(flag)
  flag.carrier, flag.home = nil, true
  flag.position, flag.velocity = flag.own.stand, vec(0, 0, 0)
end

local function announce(type, key, client, flag)
  messageAll(type, text(key, client.name, teams.names[flag.team]))
end

local function take(flag, player)
  flag.carrier, flag.home = player, false
  flag.own.returns = now() -- at once if the carrier disappears
  announce("MsgFlagTaken", "flag_taken", player.own.client, flag)
  broadcast("onFlagTaken", flag, player)
end

local function giveBack(flag, player)
  goHome(flag)
  pcallFor(player.own.client, score.add, "flagreturn")
  announce("MsgFlagReturned", "flag_returned", player.own.client, flag)
  broadcast("onFlagReturned", flag)
end

local function capture(flag, player)
  goHome(flag)
  pcallFor(player.own.client, score.add, "capture")
  announce("MsgFlagCaptured", "flag_captured", player.own.client, flag)
  broadcast("onFlagCaptured", flag, player)
  match.point(player.team)
end

local function mayTouch(flag, player)
  if not isObject(player.own.client) or player:isDestroyed() then return false end
  return player ~= flag.own.thrower or now() >= flag.own.thrown + THROWN
end

-- touch handles a living player who touches a flag that nobody carries.
local function touch(flag, player)
  if player.team ~= flag.team then
    take(flag, player)
  elseif not flag.home then
    giveBack(flag, player)
  else
    local prize = flags.carried(player)
    if prize then capture(prize, player) end
  end
end

-- In each tick, a carried flag follows its carrier. Otherwise it looks for players nearby.
function Flag:onTick()
  local carrier = self.carrier
  if carrier then
    self.position, self.velocity = carrier.position + vec(0, 0, 1), carrier.velocity
    return
  end
  if not match.running() then return end
  if not self.home and now() >= self.own.returns then
    goHome(self)
    messageAll("MsgFlagReturned", text("flag_back", teams.names[self.team]))
    broadcast("onFlagReturned", self)
    return
  end
  for _, player in ipairs(inRadius(self.position, REACH, "Player")) do
    if mayTouch(self, player) then touch(self, player) end
    if self.carrier or not match.running() then return end
  end
end

-- flags.dropped drops the flag that a player carries, at the player's place. push is its velocity.
function flags.dropped(player, push)
  local flag = player and flags.carried(player)
  if not flag then return end
  flag.carrier = nil
  flag.position, flag.velocity = player.position + vec(0, 0, 1), push or vec(0, 0, 0)
  flag.own.returns = now() + waits.value * 1000
  flag.own.thrower, flag.own.thrown = player, now()
  announce("MsgFlagDropped", "flag_dropped", player.own.client, flag)
  broadcast("onFlagDropped", flag)
end

-- flags.reset puts all flags back on their stands.
function flags.reset()
  for team = 1, 2 do
    local flag = flags.of(team)
    if flag then goHome(flag) end
  end
end

-- flags.resume finds the flags of the current mission after a reload.
function flags.resume()
  for flag in objects "Flag" do list[flag.team] = flag end
end

return flags
