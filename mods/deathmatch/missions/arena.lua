-- Arena: flat ground, a few blocks for cover, and spawn points all around.

for i = 0, 5 do
  local angle = math.rad(i * 60)
  new "Box" { position = vec(math.cos(angle) * 18, math.sin(angle) * 18, 0), size = vec(5, 5, 4), shape = "block" }
  new "SpawnSphere" {
    position = vec(math.sin(angle) * 45, math.cos(angle) * 45, 0), radius = 5,
    rotation = rot((180 - i * 60) % 360, 0, 0), -- towards the middle
  }
end
