-- The server side. Try it:   torc play --mod hello
-- Then type at the server's prompt:   hello.greet        and:   client hello.ask("Ball")

-- A setting is a console variable. At the prompt: hello.greeting = "Good day %1"
local greeting = setting "hello.greeting" { default = "Hello %1, this is %2.", description = "the greeting for new players" }

-- torc calls these functions of GameConnection when clients join and leave.
function GameConnection.onConnect(client)
  echo(client.name .. " came from " .. client.address)
end

-- A console command. caller is nil if the command was typed at the console.
addCommand {
  name = "hello.greet", params = "[NAME]", description = "greets one player, or all",
  run = function(caller, name)
    for client in clientGroup:each() do
      if name == nil or client.name == name then
        -- A command to a client. The text is a tagged string: it is sent to each client once, and
        -- the client fills in %1 and %2.
        commandToClient(client, "HelloGreeting", tag(greeting.value), client.name, "the server")
      end
    end
  end,
}

-- Allows a command from clients: one string argument, 5 calls per second, bursts of 10.
allowCommand("HelloAsk", { args = { "string" }, rate = 5, burst = 10 })

-- Handles the command. Any client can send it, so check the arguments.
function serverCmd.HelloAsk(client, name)
  local block = find(name)
  if block and block.className == "ItemData" then
    commandToClient(client, "HelloAnswer", tag "%1 weighs %2 kg.", block.name, block.mass)
  else
    commandToClient(client, "HelloAnswer", tag "There is no datablock %1.", name:sub(1, 64))
  end
end
