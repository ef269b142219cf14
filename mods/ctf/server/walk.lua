-- How a bot gets somewhere: straight ahead, with jets up hills and over walls, and around what it got
-- stuck at.

local JUMP, JET = 2, 3   -- triggers
local STUCK = 1500       -- ms without getting on
local STEP = 1.5         -- metres that count as getting on
local AROUND = 12        -- metres to the side that it tries then
local FAR = 40           -- metres from which it hurries: it skis, and jets as long as it can
local STEEP = 1.5        -- metres above itself to which it jets
local FULL, EMPTY = 0.5, 0.15 -- parts of the energy at which it begins and stops to use jets

local walk = {}

-- blocked tells whether a bot has not got on for a while.
local function blocked(own, position)
  if not own.at or (position - own.at):length() > STEP then own.at, own.since = position, now() end
  return now() - own.since > STUCK
end

-- detour is a place beside the way, left and right by turns.
local function detour(own, position, goal)
  own.side = -(own.side or 1)
  local way = (goal - position):normalized()
  own.around = position + vec(-way.y, way.x, 0) * AROUND * own.side
  own.until_, own.at = now() + STUCK, nil
end

-- jets decides whether to burn: uphill, or when stuck, as long as there is energy.
local function jets(own, player, goal, hurry)
  local part = player.energy / player.dataBlock.maxEnergy
  if part < EMPTY then own.burns = false end
  if part > FULL then own.burns = true end
  return own.burns and (hurry or goal.z - player.position.z > STEEP) or false
end

-- walk.to sends a bot to a place. It is called at each thought.
function walk.to(bot, player, goal)
  local own, position = bot.own, player.position
  local far = (goal - position):length()
  if far < 2 then
    bot:stop()
    bot:setTrigger(JET, false)
    return
  end
  if blocked(own, position) then detour(own, position, goal) end
  local around = own.around and now() < own.until_
  bot:moveTo(around and own.around or goal, 1)
  local hurry = around or far > FAR
  bot:setTrigger(JUMP, hurry)
  bot:setTrigger(JET, jets(own, player, goal, hurry))
end

return walk
