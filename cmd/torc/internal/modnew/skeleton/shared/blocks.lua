-- The server and the client both load the files in shared/ first. Datablocks are data that many
-- objects share. The server declares them, and every client receives them before it plays.

Walker = datablock "PlayerData" "NAMEWalker" { shape = "player", maxDamage = 100, maxEnergy = 60, rechargeRate = 10 }

Coin = datablock "ItemData" "NAMECoin" { shape = "coin", radius = 1, description = "Run into it." }
