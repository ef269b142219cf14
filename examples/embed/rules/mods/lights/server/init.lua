datablock "CrateData" "CrateKind" { mass = 20, radius = 0.5, fragile = true }

new "Beacon" { name = "lighthouse", position = vec(0, 0, 30), reach = 500 }
new "Crate" { name = "cargo", dataBlock = "CrateKind", position = vec(5, 0, 2), load = 80 }
