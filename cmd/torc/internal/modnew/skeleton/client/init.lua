-- The client's half: it is loaded from the client's own disk, never from the server. A client without this mod can join
-- all the same; it just does not know these commands.

function clientCmd.NAMECoins(n)
  setHud(1, "coins " .. n)
end
