-- What bots do in a game whose mods have nothing to say about it: they run about, and shoot at whom they see. A mod
-- that steers a bot itself (bot:moveTo, bot:aim, …) has it to itself from then on.

local EVERY = 8             -- ticks between two thoughts of a bot
local PATIENCE = 4000       -- ms after which it gives up getting to where it wanted
local ROAM, SIGHT = 40, 60  -- metres: how far it goes at once, and looks for others
local FIRE, JUMP = 0, 2     -- triggers

bots = {}

-- ask calls fn(obj), which may ask for what objects of its class do not have: nil then.
local function ask(fn, obj)
  local ok, value = pcall(fn, obj)
  return ok and value or nil
end

local function team(obj) return obj.team end
local function dead(obj) return obj:isDestroyed() end

-- bots.enemies tells whether two bodies are of different teams, or of none.
function bots.enemies(body, other)
  local mine = ask(team, body) or 0
  return mine == 0 or mine ~= (ask(team, other) or 0)
end

-- nearest is the nearest enemy that another client controls, or nil.
local function nearest(bot, body)
  local best, least = nil, SIGHT
  for client in clientGroup:each() do
    local other = client ~= bot and client.controlObject
    if other and bots.enemies(body, other) and not ask(dead, other) then
      local far = (other.position - body.position):length()
      if far < least then best, least = other, far end
    end
  end
  return best
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
  local enemy = nearest(bot, body)
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
