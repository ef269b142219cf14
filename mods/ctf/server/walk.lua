-- Movement of bots: straight ahead, with jets up hills and over walls. A stuck bot walks around the
-- obstacle.

local JUMP, JET = 2, 3   -- trigger numbers
local STUCK = 1500       -- ms without progress until a bot counts as stuck
local STEP = 1.5         -- metres that count as progress
local AROUND = 12        -- metres to the side for a detour
local FAR = 40           -- metres to the goal from which it skis and jets
local STEEP = 0.7        -- metres: it jets to goals that are higher by more
local LOW, AHEAD = 12, 40 -- metres: it flies at most LOW above the ground, here and AHEAD further on
local FULL, EMPTY = 0.5, 0.15 -- parts of the energy at which it starts and stops its jets

local walk = {}

-- blocked reports whether a bot has made no progress for STUCK ms.
local function blocked(own, position)
  if not own.at or (position - own.at):length() > STEP then own.at, own.since = position, now() end
  return now() - own.since > STUCK
end

-- detour picks a place beside the way, alternately left and right.
local function detour(own, position, goal)
  own.side = -(own.side or 1)
  local way = (goal - position):normalized()
  own.around = position + vec(-way.y, way.x, 0) * AROUND * own.side
  own.aroundUntil, own.at = now() + STUCK, nil
end

-- low reports whether a player on the way to a goal is near the ground, or will be.
local function low(position, goal, far)
  local next = position + (goal - position) * math.min(1, AHEAD / far)
  return position.z < math.max(terrainHeight(position.x, position.y), terrainHeight(next.x, next.y)) + LOW
end

-- jets decides whether to use jets: up to a higher goal, or along to a distant one, while the
-- energy lasts.
local function jets(own, player, goal, far)
  local part = player.energy / player.dataBlock.maxEnergy
  if part < EMPTY then own.burns = false end
  if part > FULL then own.burns = true end
  if not own.burns then return false end
  if far > FAR then return low(player.position, goal, far) end
  return goal.z - player.position.z > STEEP
end

-- walk.to sends a bot to a place. Call it at each decision of the bot.
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
