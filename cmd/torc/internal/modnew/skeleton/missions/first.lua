-- The first mission: flat ground, a spawn point, and coins around it.

new "SpawnSphere" { position = vec(0, 0, 0), radius = 5 }

for i = 1, 8 do
  local angle = math.rad(i * 45)
  new "Item" { dataBlock = Coin, position = vec(math.cos(angle) * 20, math.sin(angle) * 20, 1) }
end
