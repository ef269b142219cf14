-- Inventory stations: a visible shape, with a trigger around it (server/stations.lua).

InventoryStation = datablock "StaticShapeData" "InventoryStation" {
  shape = "station",
  radius = 1.5,
  size = vec(2, 2, 0.2),
}

StationTrigger = datablock "TriggerData" "StationTrigger" { tickPeriod = 500 }
