-- Flags: touched by an enemy they are taken, dropped when he falls, returned by a friend's touch or after
-- a while. Who brings the enemy's flag to his own, which must be at home, captures it.

local teams = require "server.teams"
local match = require "server.match"
local score = require "server.score"
local messageAll = import "base".messageAll

local REACH = 2     -- metres from which a flag is touched
local THROWN = 1500 -- ms in which who has dropped it does not take it again
local waits = setting "ctf.flagReturn" { default = 45, min = 1, max = 600, description = "seconds until a dropped flag returns by itself" }

local flags, list = {}, {} -- list has the flag of each team

-- What missions make with new "Flag" stands where it was put.
function Flag:onAdd()
  list[self.team] = self
  self.own.stand = self.position
  self:setScopeAlways() -- everybody may know where the flags are
end

function Flag:onRemove()
  if list[self.team] == self then list[self.team] = nil end
end

-- flags.of finds a team's flag, nil if the mission has none. One that was just deleted is none.
function flags.of(team) return isObject(list[team]) and list[team] or nil end

-- flags.carried gives the flag that a player has, or nil.
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

local function announce(type, text, client, flag)
  messageAll(type, text, client.name, teams.names[flag.team])
end

local function take(flag, player)
  flag.carrier, flag.home = player, false
  flag.own.returns = now() -- at once, should he vanish
  announce("MsgFlagTaken", "%1 has taken the %2 flag!", player.own.client, flag)
  broadcast("onFlagTaken", flag, player)
end

local function giveBack(flag, player)
  goHome(flag)
  score.add(player.own.client, "flagreturn")
  announce("MsgFlagReturned", "%1 has returned the %2 flag.", player.own.client, flag)
  broadcast("onFlagReturned", flag)
end

local function capture(flag, player)
  goHome(flag)
  score.add(player.own.client, "capture")
  announce("MsgFlagCaptured", "%1 has captured the %2 flag!", player.own.client, flag)
  broadcast("onFlagCaptured", flag, player)
  match.point(player.team)
end

-- touch is what comes of a living player at a flag that nobody has.
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

local function mayTouch(flag, player)
  if not player.own.client or player:isDestroyed() then return false end
  return player ~= flag.own.thrower or now() >= flag.own.thrown + THROWN
end

-- Each tick a flag goes with who has it, or looks who is there.
function Flag:onTick()
  local carrier = self.carrier
  if carrier then
    self.position, self.velocity = carrier.position + vec(0, 0, 1), carrier.velocity
    return
  end
  if not match.running() then return end
  if not self.home and now() >= self.own.returns then
    goHome(self)
    messageAll("MsgFlagReturned", "The %1 flag has returned.", teams.names[self.team])
    broadcast("onFlagReturned", self)
    return
  end
  for _, player in ipairs(inRadius(self.position, REACH, "Player")) do
    if mayTouch(self, player) then touch(self, player) end
    if self.carrier or not match.running() then return end
  end
end

-- flags.dropped leaves the flag that a player has where he is. push throws it.
function flags.dropped(player, push)
  local flag = player and flags.carried(player)
  if not flag then return end
  flag.carrier = nil
  flag.position, flag.velocity = player.position + vec(0, 0, 1), push or vec(0, 0, 0)
  flag.own.returns = now() + waits.value * 1000
  flag.own.thrower, flag.own.thrown = player, now()
  announce("MsgFlagDropped", "%1 has dropped the %2 flag.", player.own.client, flag)
  broadcast("onFlagDropped", flag)
end

-- flags.reset puts all of them home.
function flags.reset()
  for team = 1, 2 do
    local flag = flags.of(team)
    if flag then goHome(flag) end
  end
end

-- flags.resume finds the flags of the mission that runs.
function flags.resume()
  for flag in objects "Flag" do list[flag.team] = flag end
end

return flags
