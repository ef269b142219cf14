-- Bodies and portals. A portal is a ring that people see, and a box that detects them.

Walker = datablock "PlayerData" "Walker" { shape = "player", maxDamage = 100 }
Portal = datablock "TriggerData" "Portal" { tickPeriod = 1000 }
Ring = datablock "StaticShapeData" "Ring" {
  shape = "portal", size = vec(4, 0.5, 4),
  look = { { "torus", size = vec(4, 4, 1), color = "#60a0ff", glow = 1.5 } },
}
