-- What bots do in a game whose mods have nothing to say about it: they run about, and shoot at whom they see. A mod
-- that steers a bot itself (bot:moveTo, bot:aim, …) has it to itself from then on.

local EVERY = 8             -- ticks between two thoughts of a bot
local PATIENCE = 4000       -- ms after which it gives up getting to where it wanted
local ROAM, SIGHT = 40, 60  -- metres: how far it goes at once, and looks for others
local FIRE, JUMP = 0, 2     -- triggers

bots = {}

-- bots.enemy is the nearest player that a bot's body may shoot at, or nil.
function bots.enemy(body)
  local team = body:isMemberOfClass("ShapeBase") and body.team or 0
  for _, other in ipairs(inRadius(body.position, SIGHT, "Player")) do
    if other ~= body and (team == 0 or other.team ~= team) and not other:isDestroyed() then return other end
  end
end

-- wander picks a place around where the bot is, when it has arrived or got stuck.
local function wander(bot, body)
  local own = bot.own
  if bot.moving and now() < (own.patience or 0) then return end
  own.patience = now() + PATIENCE
  local angle = math.random() * 2 * math.pi
  bot:moveTo(body.position + vec(math.cos(angle), math.sin(angle), 0) * (ROAM * (0.3 + 0.7 * math.random())), 2)
end

-- bots.think is one thought of a bot that controls something.
function bots.think(bot)
  local body = bot.controlObject
  local enemy = bots.enemy(body)
  bot:aim(enemy)
  bot:setTrigger(FIRE, enemy ~= nil)
  bot:setTrigger(JUMP, math.random(12) == 1)
  wander(bot, body)
end

-- Bots think one after the other, so that many of them never think at once.
function bots.tick(tick)
  for client in clientGroup:each() do
    if client.isBot and (tick + client.id) % EVERY == 0 and client.controlObject then
      local by = client.steeredBy
      if by == nil or by == modName() then bots.think(client) end
    end
  end
end
