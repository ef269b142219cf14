-- The client side. The client loads it from its own disk, never from the server. A client without
-- this mod can still join; it just does not know these commands.

function clientCmd.NAMECoins(n)
  setHud(1, "coins " .. n)
end
