-- Bots: some defend, the others attack. Bots nearby return dropped flags, and all shoot at visible
-- enemies. A bot decides a few times per second. The decisions are spread over ticks, so that a
-- hundred bots do not decide at once. In between, the engine continues the last orders
-- (bot:moveTo, bot:aim, bot:setTrigger).

local teams = require "server.teams"
local base = import "base"
local match = require "server.match"
local flags = require "server.flags"
local alive = require "server.players".alive
local loadouts = require "server.loadouts"
local walk = require "server.walk"

local EVERY = 8    -- ticks between two decisions of a bot
local SIGHT = 80   -- metres: range of the search for enemies
local NEAR = 40    -- metres: range in which an attacker returns its dropped flag
local POST = 20    -- metres: diameter of a defender's circle around its flag
local FIRE = 0     -- trigger number

local bots = {}

-- sees reports whether nothing blocks the line between the eyes of two objects.
local function sees(player, other)
  local hit = castRay(player:getEyePoint(), other:getEyePoint(), player)
  return hit == other
end

local shoots = { Player = true, Turret = true }

-- enemy returns the nearest visible player or turret of the other team, or nil.
local function enemy(player)
  local looked = 0
  for _, other in ipairs(inRadius(player.position, SIGHT, "ShapeBase")) do
    if shoots[other.className] and other.team ~= player.team and not other:isDestroyed() then
      if sees(player, other) then return other end
      looked = looked + 1
      if looked == 3 then return nil end -- rays are expensive
    end
  end
end

-- lead returns the point to aim at so that the shot meets the moving target.
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

-- post returns the place of a defender: on a circle around its flag, a new one every 12 s.
local function post(bot, flag)
  local turn = bot.id * 2.4 + math.floor(now() / 12000)
  return flag.own.stand + vec(math.cos(turn), math.sin(turn), 0) * POST * 0.5
end

-- errand returns the destination of a bot, most urgent first.
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

-- role makes every third member of a team a defender, and checks again every 10 s.
local function role(bot)
  local own, i = bot.own, 0
  if now() < (own.roleUntil or 0) then return end
  own.roleUntil = now() + 10000
  for _, mate in ipairs(base.teamMembers(teams.of(bot))) do
    i = i + 1
    if mate == bot then own.defends = i % 3 == 0 end
  end
end

local function think(bot)
  role(bot)
  local player = alive(bot)
  if not player then return bot:setTrigger(FIRE, false) end
  if not match.running() then
    bot:setTrigger(FIRE, false)
    return bot:stop()
  end
  fight(bot, player)
  walk.to(bot, player, errand(bot, player))
end

-- bots.tick lets one of EVERY bots decide in each tick. It keeps no list, so a reload changes no decision.
function bots.tick(tick)
  local turn = tick % EVERY
  for _, bot in ipairs(players "bots") do
    if turn == 0 and teams.of(bot) then pcallFor(bot, think) end
    turn = (turn + 1) % EVERY
  end
end

return bots
