-- Where players appear. A mission has SpawnSpheres: places with a radius and a team (0: for everybody).

local TRIES = 8  -- places looked at before one is taken although somebody stands there
local ROOM = 3   -- metres that should be free around who appears
local DROP = 200 -- how far below a sphere there may be ground

-- spheres lists those of a team, or those of nobody if the team has none.
local function spheres(team)
  local own, free = {}, {}
  for sphere in objects "SpawnSphere" do
    if sphere.team == 0 then free[#free + 1] = sphere end
    if sphere.team == team then own[#own + 1] = sphere end
  end
  return #own > 0 and own or free
end

-- within gives a random place of a sphere, on whatever one can stand on there.
local function within(sphere)
  local angle, far = math.random() * 2 * math.pi, sphere.radius * math.sqrt(math.random())
  local at = sphere.position + vec(math.cos(angle) * far, math.sin(angle) * far, 1)
  local _, floor = castRay(at, at - vec(0, 0, DROP))
  return floor or vec(at.x, at.y, math.max(at.z, terrainHeight(at.x, at.y)))
end

-- spawnPoint gives a position for a player of a team, and the rotation of its sphere. Without any sphere
-- it is the middle of the world.
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
