-- The default behaviour of bots: they run about and shoot at visible enemies. As soon as another
-- mod steers a bot (bot:moveTo, bot:aim, …), this file leaves that bot alone.

local EVERY = 8             -- ticks between two decisions of a bot
local PATIENCE = 4000       -- ms until a bot gives up on its destination
local ROAM, SIGHT = 40, 60  -- metres: longest walk, and range of the search for enemies
local FIRE, JUMP = 0, 2     -- trigger numbers

bots = {}

-- bots.enemy returns the nearest player that body can shoot at, or nil.
function bots.enemy(body)
  local team = body:isMemberOfClass("ShapeBase") and body.team or 0
  for _, other in ipairs(inRadius(body.position, SIGHT, "Player")) do
    if other ~= body and (team == 0 or other.team ~= team) and not other:isDestroyed() then return other end
  end
end

-- wander sends the bot to a random place nearby if it has arrived or got stuck.
local function wander(bot, body)
  local own = bot.own
  if bot.moving and now() < (own.patience or 0) then return end
  own.patience = now() + PATIENCE
  local angle = math.random() * 2 * math.pi
  bot:moveTo(body.position + vec(math.cos(angle), math.sin(angle), 0) * (ROAM * (0.3 + 0.7 * math.random())), 2)
end

-- bots.think makes one decision for a bot that has a control object.
function bots.think(bot)
  local body = bot.controlObject
  local enemy = bots.enemy(body)
  bot:aim(enemy)
  bot:setTrigger(FIRE, enemy ~= nil)
  bot:setTrigger(JUMP, math.random(12) == 1)
  wander(bot, body)
end

-- bots.tick lets one of EVERY bots decide in each tick, which spreads the work over ticks.
function bots.tick(tick)
  for _, bot in ipairs(players "bots") do
    if (tick + bot.id) % EVERY == 0 and bot.controlObject then
      local by = bot.steeredBy
      if by == nil or by == modName() then pcallFor(bot, bots.think) end
    end
  end
end
