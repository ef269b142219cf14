-- Checks the numbers of the server's commands.
local ordered, sure, maybe, up = 0, {}, {}, 0
local quiet = false

local function fault(rule, text) echo("probe", "fault", rule, text) end

function GameConnection.onConnectionAccepted(server)
  ordered, sure, maybe, up = 0, {}, {}, 0
end

function clientCmd.ProbeOrdered(n, text, k)
  if n ~= ordered + 1 then fault("V3", "ordered command " .. n .. " came, expected " .. ordered + 1) end
  ordered = n
  if detag(text) ~= "number " .. k then fault("V10", "tag " .. detag(text) .. " arrived, expected number " .. k) end
end

function clientCmd.ProbeSure(n)
  if sure[n] then fault("V3", "guaranteed command " .. n .. " came twice") end
  sure[n] = true
end

function clientCmd.ProbeMaybe(n)
  if maybe[n] then fault("V4", "unguaranteed command " .. n .. " came twice") end
  maybe[n] = true
end

every(500, function()
  if quiet or not server or server.phase ~= "game" then return end
  up = up + 1
  commandToServer("ProbeUp", up)
  commandToServer("ProbeTag", tag("up " .. up % 30), up % 30)
end)

-- Tries a command that only keepers can run.
every(3000, function()
  if server and server.phase == "game" then commandToServer("MessageSent", "/probe.secret") end
end)

addCommand {
  name = "probe.count", description = "prints how many commands have come, and were sent",
  run = function()
    local n = 0
    for _ in pairs(sure) do n = n + 1 end
    echo("probe", "count", ordered, n, up)
  end,
}

addCommand {
  name = "probe.quiet", description = "sends nothing any more",
  run = function() quiet = true end,
}
