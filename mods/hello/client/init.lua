-- The client's half: it is loaded from the client's own disk, never from the server.
-- A client without this mod can still join; it just does not know these commands.

-- The text arrives as a tagged string in which %1 and %2 are already filled in.
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
