-- Valley: two bases at opposite ends of wide hills.

new "TerrainBlock" { seed = 11, size = 128, squareSize = 8, height = 30, roughness = 0.35 }

-- Each base faces the other. at(side, ahead, up) is a place to the right of the flag and towards
-- the other base, in metres.
local function base(team, y)
  local forward = y < 0 and 1 or -1
  local facing = rot(y < 0 and 0 or 180, 0, 0)
  local function at(side, ahead, up) return ground(side * forward, y + ahead * forward, up) end

  -- The flag stands on a platform with a wall behind it.
  local stand = at(0, 0, 1.5)
  new "Box" { position = stand - vec(0, 0, 3), size = vec(14, 14, 3), shape = "platform" }
  new "Box" { position = stand - vec(0, 7 * forward, 0), size = vec(14, 1, 5), shape = "wall" }
  new "Flag" { dataBlock = FlagItem, team = team, position = stand }

  new "SpawnSphere" { team = team, position = at(-25, -25, 0), radius = 8, rotation = facing }
  new "SpawnSphere" { team = team, position = at(25, -25, 0), radius = 8, rotation = facing }
  for _, side in ipairs { -14, 14 } do
    new "StaticShape" { dataBlock = InventoryStation, team = team, position = at(side, -14), rotation = facing }
  end
  new "Turret" { dataBlock = PlasmaTurret, team = team, position = at(20, 18), rotation = facing }
  new "Turret" { dataBlock = PlasmaTurret, team = team, position = at(-20, 18), rotation = facing }
  new "StaticShape" { dataBlock = ScoutPad, team = team, position = at(-45, 0), rotation = facing }
  new "StaticShape" { dataBlock = TankPad, team = team, position = at(45, 0), rotation = facing }
  new "StaticShape" { dataBlock = TransportPad, team = team, position = at(60, -15), rotation = facing }
end

base(1, -220)
base(2, 220)
