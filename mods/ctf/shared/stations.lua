-- Inventory stations: a visible shape, with a trigger around it (server/stations.lua).

InventoryStation = datablock "StaticShapeData" "InventoryStation" {
  shape = "station",
  look = {
    { "box", at = vec(0, 0, 0.08), size = vec(1.9, 1.9, 0.16), color = "metal" },
    { "box", at = vec(0, -0.62, 1), size = vec(1.5, 0.35, 1.9), color = "dark" },
    { "box", at = vec(0, -0.42, 1.25), size = vec(1.1, 0.06, 0.75), rotation = rot(0, -12, 0), color = "cyan", glow = 0.8 },
    { "box", at = vec(0, -0.5, 2.02), size = vec(1.7, 0.5, 0.14) },
    { "torus", at = vec(0, 0.15, 0.2), size = vec(1.3, 1.3, 0.5), glow = 0.9, bob = 0.08 },
    { "label", at = vec(0, -0.5, 2.4), text = "INVENTORY", size = 0.3, near = true },
    { "sound", pitch = 110, volume = 0.1, attack = 0.5, release = 0.5, reach = 20, loop = true },
  },
  radius = 1.5,
  size = vec(2, 2, 0.2),
}

StationTrigger = datablock "TriggerData" "StationTrigger" { tickPeriod = 500 }
