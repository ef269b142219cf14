-- Spawn points. A mission has SpawnSpheres: places with a radius and a team (0 is for everybody).

local TRIES = 8  -- places to try; the last one is used even if it is occupied
local ROOM = 3   -- metres of free room around a new player
local DROP = 200 -- metres below a sphere in which to look for ground

-- spheres lists the SpawnSpheres of a team, or those without a team if the team has none.
local function spheres(team)
  local own, free = {}, {}
  for sphere in objects "SpawnSphere" do
    if sphere.team == 0 then free[#free + 1] = sphere end
    if sphere.team == team then own[#own + 1] = sphere end
  end
  return #own > 0 and own or free
end

-- within returns a random place in a sphere, on the ground or on an object below it.
local function within(sphere)
  local angle, far = math.random() * 2 * math.pi, sphere.radius * math.sqrt(math.random())
  local at = sphere.position + vec(math.cos(angle) * far, math.sin(angle) * far, 1)
  local _, floor = castRay(at, at - vec(0, 0, DROP))
  return floor or vec(at.x, at.y, math.max(at.z, terrainHeight(at.x, at.y)))
end

-- spawnPoint returns a position for a player of a team, and the rotation of its SpawnSphere.
-- If there is no SpawnSphere, it returns the middle of the world.
function spawnPoint(team)
  local list = spheres(team or 0)
  if #list == 0 then return vec(0, 0, terrainHeight(0, 0)), rot(0, 0, 0) end
  local sphere, place
  for _ = 1, TRIES do
    sphere = list[math.random(#list)]
    place = within(sphere)
    if #inRadius(place, ROOM, "Player") == 0 then break end
  end
  return place, sphere.rotation
end

export("spawnPoint", spawnPoint)
