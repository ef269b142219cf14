-- The server's half. Try it:   torc play --mod hello
-- then type, at the server's prompt:   hello.greet        and:   client hello.ask("Ball")

-- A setting is a console variable. At the prompt: hello.greeting = "Good day %1"
local greeting = setting "hello.greeting" { default = "Hello %1, this is %2.", description = "said to who joins" }

-- GameConnection's functions are called when clients come and go.
function GameConnection.onConnect(client)
  echo(client.name .. " came from " .. client.address)
end

-- A console command. caller is nil when it is typed at the console.
addCommand {
  name = "hello.greet", params = "[NAME]", description = "greets one player, or all",
  run = function(caller, name)
    for client in clientGroup:each() do
      if name == nil or client.name == name then
        -- A command to a client. The text is a tagged string: it crosses the wire once per client,
        -- %1 and %2 are filled in over there.
        commandToClient(client, "HelloGreeting", tag(greeting.value), client.name, "the server")
      end
    end
  end,
}

-- What clients may ask, and how: one string, not too often.
allowCommand("HelloAsk", { args = { "string" }, rate = 5, burst = 10 })

-- A command from a client. It may come from anybody, so look at what you got.
function serverCmd.HelloAsk(client, name)
  local block = find(name)
  if block and block.className == "ItemData" then
    commandToClient(client, "HelloAnswer", tag "%1 weighs %2 kg.", block.name, block.mass)
  else
    commandToClient(client, "HelloAnswer", tag "I know no %1.", name)
  end
end
