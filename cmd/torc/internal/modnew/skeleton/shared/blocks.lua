-- Files in shared/ are loaded first, by server and client alike. Datablocks are data that many objects share: the
-- server declares them, and every client is sent them before it plays.

Walker = datablock "PlayerData" "NAMEWalker" { shape = "player", maxDamage = 100, maxEnergy = 60, rechargeRate = 10 }

Coin = datablock "ItemData" "NAMECoin" { shape = "coin", radius = 1, description = "Run into it." }
