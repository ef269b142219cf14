-- The client side. The client loads it from its own disk, never from the server.
-- A client without this mod can still join; it just does not know these commands.

-- The text arrives as a tagged string, with %1 and %2 already filled in.
function clientCmd.HelloGreeting(text)
  echo(detag(text))
end

function clientCmd.HelloAnswer(text)
  echo(detag(text))
end

addCommand {
  name = "hello.ask", params = "NAME", description = "asks the server what a ball weighs",
  run = function(caller, name) commandToServer("HelloAsk", name or "Ball") end,
}
