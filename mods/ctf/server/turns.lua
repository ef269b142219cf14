-- Work that each client needs every few ticks, spread over these ticks: a hundred clients at once would
-- be too much for one tick.

-- turns returns a function for onTick. It calls fn(client) once per `every` ticks for each client in the
-- game that belongs, of one kind of players or of both. It lists the clients at the beginning of each round and after a reload, so a new
-- client waits for one round at most.
local function turns(every, belongs, fn, kind)
  local list
  local function turn(client)
    if belongs(client) then fn(client) end
  end
  return function(tick)
    local at = tick % every
    if at == 0 or not list then list = players(kind) end
    for i = at + 1, #list, every do
      if isObject(list[i]) then pcallFor(list[i], turn) end
    end
  end
end

return turns
