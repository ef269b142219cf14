-- Messages: tagged strings with a type. The text crosses a connection once; after that, a message
-- is a few integers. On the client, the type selects the callbacks (client/messages.lua).

-- messageClient shows text to one client. %1 … %9 in the text stand for the arguments after it.
-- It sends nothing to bots, and nothing to clients that are leaving (onDrop).
function messageClient(client, type, text, ...)
  if client.isBot or client.own.gone then return end
  commandToClient(client, "ServerMessage", tag(type), isTag(text) and text or tag(text), ...)
end

-- messageAll shows text to every client that has joined.
function messageAll(type, text, ...)
  for client in clientGroup:each() do messageClient(client, type, text, ...) end
end

-- messageAllExcept shows text to every client except one.
function messageAllExcept(except, type, text, ...)
  for client in clientGroup:each() do
    if client ~= except then messageClient(client, type, text, ...) end
  end
end

export("messageClient", messageClient)
export("messageAll", messageAll)
export("messageAllExcept", messageAllExcept)
