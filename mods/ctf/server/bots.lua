-- Bots: some defend, the others attack; whoever is near picks up what lies about and shoots what he sees.
-- A bot thinks a few times a second, each in its own tick, so that a hundred of them never think at once.
-- In between, its pilot walks, aims and fires as it was last told (bot:moveTo, bot:aim, bot:setTrigger).

local teams = require "server.teams"
local match = require "server.match"
local flags = require "server.flags"
local players = require "server.players"
local loadouts = require "server.loadouts"
local walk = require "server.walk"

local EVERY = 8    -- ticks between two thoughts of a bot
local SIGHT = 80   -- metres that a bot looks for enemies
local NEAR = 40    -- metres from which it goes for a flag that lies about
local POST = 20    -- metres around its flag that a defender keeps to
local FIRE = 0     -- triggers

local bots = {}

-- sees tells whether nothing stands between a player's eyes and another's.
local function sees(player, other)
  local hit = castRay(player:getEyePoint(), other:getEyePoint(), player)
  return hit == other
end

local shoots = { Player = true, Turret = true }

-- enemy is the nearest player or turret of the other team that a player sees, or nil.
local function enemy(player)
  local looked = 0
  for _, other in ipairs(inRadius(player.position, SIGHT, "ShapeBase")) do
    if shoots[other.className] and other.team ~= player.team and not other:isDestroyed() then
      if sees(player, other) then return other end
      looked = looked + 1
      if looked == 3 then return nil end -- rays cost time
    end
  end
end

-- lead is where to aim so that a shot and its target meet.
local function lead(player, target)
  local image = player:mountedImage(FIRE)
  local speed = image and image.projectile and image.projectile.muzzleVelocity or 0
  local eye = target:getEyePoint() - vec(0, 0, 0.6)
  if speed <= 0 then return eye end
  local time = (eye - player:getEyePoint()):length() / speed
  return eye + target.velocity * time
end

local function fight(bot, player)
  local target = enemy(player)
  if not target then
    bot:aim(nil)
    bot:setTrigger(FIRE, false)
    return
  end
  local far = (target.position - player.position):length()
  loadouts.hold(player, far < 25 and 2 or 1)
  bot:aim(lead(player, target))
  bot:setTrigger(FIRE, true)
end

-- post is where a defender stands: somewhere around its flag, elsewhere from time to time.
local function post(bot, flag)
  local turn = bot.id * 2.4 + math.floor(now() / 12000)
  return flag.own.stand + vec(math.cos(turn), math.sin(turn), 0) * POST * 0.5
end

-- errand is where a bot goes, by what is most urgent.
local function errand(bot, player)
  local mine, theirs = flags.of(player.team), flags.of(teams.enemy(player.team))
  if not mine or not theirs then return player.position end
  if theirs.carrier == player then return mine.own.stand end
  local lies = not mine.home and not mine.carrier
  if lies and (mine.position - player.position):length() < (bot.own.defends and 1000 or NEAR) then return mine.position end
  if bot.own.defends then return mine.carrier and mine.position or post(bot, mine) end
  if theirs.carrier then return mine.carrier and mine.position or theirs.position end
  return theirs.position
end

-- role makes every third of a team a defender, and looks again from time to time.
local function role(bot)
  local own, i = bot.own, 0
  if now() < (own.roleUntil or 0) then return end
  own.roleUntil = now() + 10000
  for mate in teams.each(teams.of(bot)) do
    i = i + 1
    if mate == bot then own.defends = i % 3 == 0 end
  end
end

local function think(bot)
  role(bot)
  local player = players.alive(bot)
  if not player then return bot:setTrigger(FIRE, false) end
  if not match.running() then
    bot:setTrigger(FIRE, false)
    return bot:stop()
  end
  fight(bot, player)
  walk.to(bot, player, errand(bot, player))
end

-- bots.tick has those bots think whose turn it is: one of EVERY.
function bots.tick(tick)
  local turn = tick % EVERY
  for client in clientGroup:each() do
    if client.isBot and teams.of(client) then
      if turn == 0 then think(client) end
      turn = (turn + 1) % EVERY
    end
  end
end

return bots
