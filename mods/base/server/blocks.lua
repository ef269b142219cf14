-- Live datablocks: sends every datablock that changes during the game to every client, at the end
-- of the tick. With sv.liveDatablocks = false, mods call transmitDataBlocks themselves.

local live = setting "sv.liveDatablocks" { default = true, description = "sends changed datablocks to clients in the game immediately" }

local blocks = { known = dataBlockKey() } -- the newest key that was sent to clients

-- blocks.send sends a client all datablocks that it does not have yet.
function blocks.send(client, seq)
  client.own.blocks = dataBlockKey()
  client:transmitDataBlocks(seq)
end

function blocks.tick()
  local key = dataBlockKey()
  if key == blocks.known then return end
  blocks.known = key
  if not live.value then return end
  for client in clientGroup:each() do
    if client.phase == "game" then pcallFor(client, blocks.send, 0) end
  end
end

-- blocks.catchUp sends a client the datablocks that changed while it was joining.
function blocks.catchUp(client)
  if live.value and client.own.blocks ~= dataBlockKey() then blocks.send(client, 0) end
end

-- blocks.resume keeps the sent key after a reload, so that pending changes are still sent.
function blocks.resume(old) blocks.known = old.known end

return blocks
