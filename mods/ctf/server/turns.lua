-- Work that each client needs every few ticks, spread over these ticks: a hundred clients at once would
-- be too much for one tick.

-- turns returns a function for onTick. It calls fn(client) once per `every` ticks for each client that
-- belongs. It looks for such clients at the beginning of each round and after a reload, so a new client
-- waits for one round at most.
local function turns(every, belongs, fn)
  local list
  local function turn(client)
    if belongs(client) then fn(client) end
  end
  return function(tick)
    local at = tick % every
    if at == 0 or not list then
      list = {}
      for client in clientGroup:each() do
        if belongs(client) then list[#list + 1] = client end
      end
    end
    for i = at + 1, #list, every do
      if isObject(list[i]) then pcallFor(list[i], turn) end
    end
  end
end

return turns
