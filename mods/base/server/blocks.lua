-- Live datablocks: a block that a mod or the operator changes while the game runs reaches every client at
-- the end of that tick. Turn sv.liveDatablocks off to call transmitDataBlocks by hand instead.

local live = setting "sv.liveDatablocks" { default = true, description = "changed datablocks reach clients in the game at once" }

local blocks = { known = dataBlockKey() } -- the newest key that clients have been sent

-- blocks.send brings a client up to date.
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
    if client.phase == "game" then blocks.send(client, 0) end
  end
end

-- blocks.catchUp sends a client that has joined what has changed meanwhile.
function blocks.catchUp(client)
  if live.value and client.own.blocks ~= dataBlockKey() then blocks.send(client, 0) end
end

-- blocks.resume leaves nothing out that has changed just before this file.
function blocks.resume(old) blocks.known = old.known end

return blocks
