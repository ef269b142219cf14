-- Lobby: flat ground with a portal to each game. The name of a trigger is that of its server.

new "TerrainBlock" { seed = 3, size = 32, squareSize = 8, height = 0, roughness = 0 }
new "SpawnSphere" { position = vec(0, 0, 0), radius = 6, rotation = rot(0, 0, 0) }

for x, server in pairs { [-8] = "arena", [8] = "valley" } do
  new "StaticShape" { dataBlock = Ring, position = vec(x, 20, 2) }
  new "Trigger" { dataBlock = Portal, name = server, position = vec(x, 20, 0), size = vec(4, 2, 4) }
end
