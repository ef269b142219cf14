-- Ridge: smaller and steeper than Valley, with a tower in the middle.

new "TerrainBlock" { seed = 23, size = 64, squareSize = 8, height = 45, roughness = 0.5 }

new "Box" { position = ground(0, 0, -2), size = vec(10, 10, 14), shape = "tower" }

for team, x in ipairs { -150, 150 } do
  local facing = rot(x < 0 and 270 or 90, 0, 0) -- yaw turns left: 270 looks along x
  local inward = x < 0 and 1 or -1

  new "Box" { position = ground(x, 0, -1), size = vec(12, 12, 2), shape = "platform" }
  new "Flag" { dataBlock = FlagItem, team = team, position = ground(x, 0, 1) }
  new "SpawnSphere" { team = team, position = ground(x - 25 * inward, 0), radius = 10, rotation = facing }
  new "StaticShape" { dataBlock = InventoryStation, team = team, position = ground(x - 12 * inward, 12), rotation = facing }
  new "Turret" { dataBlock = PlasmaTurret, team = team, position = ground(x + 15 * inward, -12), rotation = facing }
  new "StaticShape" { dataBlock = ScoutPad, team = team, position = ground(x, 35), rotation = facing }
  new "StaticShape" { dataBlock = TankPad, team = team, position = ground(x, -35), rotation = facing }
end
