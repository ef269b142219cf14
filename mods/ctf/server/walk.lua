-- How a bot gets somewhere: straight ahead, with jets up hills and over walls, and around what it got
-- stuck at.

local JUMP, JET = 2, 3   -- triggers
local STUCK = 1500       -- ms without getting on
local STEP = 1.5         -- metres that count as getting on
local AROUND = 12        -- metres to the side that it tries then
local FAR = 40           -- metres from which it hurries: it skis, and jets along
local STEEP = 0.7        -- metres above itself to which it jets
local LOW, AHEAD = 12, 40 -- jetting along, it keeps so low above the ground here and so far ahead
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
  own.aroundUntil, own.at = now() + STUCK, nil
end

-- low tells whether somebody on his way to a goal is near the ground, or will be.
local function low(position, goal, far)
  local next = position + (goal - position) * math.min(1, AHEAD / far)
  return position.z < math.max(terrainHeight(position.x, position.y), terrainHeight(next.x, next.y)) + LOW
end

-- jets decides whether to burn: up to a goal, or along to one far away, as long as there is energy.
local function jets(own, player, goal, far)
  local part = player.energy / player.dataBlock.maxEnergy
  if part < EMPTY then own.burns = false end
  if part > FULL then own.burns = true end
  if not own.burns then return false end
  if far > FAR then return low(player.position, goal, far) end
  return goal.z - player.position.z > STEEP
end

-- walk.to sends a bot to a place. It is called at each thought.
function walk.to(bot, player, goal)
  local own, position = bot.own, player.position
  local far = (goal - position):length()
  if far < 2 then
    bot:stop()
    bot:setTrigger(JUMP, false)
    bot:setTrigger(JET, false)
    return
  end
  if blocked(own, position) then detour(own, position, goal) end
  local around = own.around and now() < own.aroundUntil
  bot:moveTo(around and own.around or goal, 1)
  bot:setTrigger(JUMP, around or far > FAR)
  bot:setTrigger(JET, jets(own, player, goal, far))
end

return walk
