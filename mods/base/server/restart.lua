-- Values that mods keep over a restart of the server, for example the scores of the players. A mod
-- keeps values in onShutdown, and takes them back after the start.

local PREFIX = "kept " -- of the keys in the store
local LIFE = 120000    -- ms after the start in which kept values can be taken

local restart = { kept = {}, ends = now() + LIFE }

-- restart.take moves the values out of the store. So only the first start after a restart has them.
function restart.take()
  for key, value in store:each(PREFIX) do
    restart.kept[key:sub(#PREFIX + 1)] = value
    store:delete(key)
  end
end

pcall(restart.take) -- a host in another program can be without a store

-- keep stores a value for the next start of the server.
export("keep", function(key, value) store:put(PREFIX .. key, value) end)

-- kept returns a value that the previous run of the server kept, once. It returns nil two minutes
-- after the start.
export("kept", function(key)
  if now() >= restart.ends then restart.kept = {} end
  local value = restart.kept[key]
  restart.kept[key] = nil
  return value
end)

-- restart.resume takes over the kept values after a reload.
function restart.resume(old) restart.kept, restart.ends = old.kept, old.ends end

return restart
