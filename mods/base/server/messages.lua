-- Messages: texts with a type. A text with arguments crosses a connection once; after that, a message
-- is a few integers. A value of text becomes the text in the language of each client. On the client, the type selects the callbacks (client/messages.lua).

-- worded returns a text in the form in which it is sent. With arguments it becomes a tag: a tag
-- crosses a connection once, and the client fills the arguments in. Without arguments it stays a
-- string: it is shown unchanged, and it may differ each time.
function worded(text, ...)
  local plain = type(text) == "string" or type(text) == "number"
  if isTag(text) or isText(text) or plain and select("#", ...) == 0 then return text end
  return tag(text)
end

-- messageClient shows text to one client. %1 … %9 in the text stand for the arguments after it, %% for
-- one %. It sends nothing to bots, and nothing to clients that are leaving (onDrop).
function messageClient(client, type, text, ...)
  if client.isBot or client.own.gone then return end
  commandToClient(client, "ServerMessage", tag(type), worded(text, ...), ...)
end

-- toAll calls fn(client, ...) for every client. An error with one client, for example because its
-- queue is full, is logged and does not stop the others. If fn fails for all, the arguments are wrong:
-- then toAll raises the error.
function toAll(fn, ...)
  local done, failed = false, nil
  for client in clientGroup:each() do
    local ok, why = pcall(fn, client, ...)
    if not ok then failed = failed or why elseif not client.isBot then done = true end
  end
  if not failed then return end
  if not done then error(failed, 0) end
  warn(failed)
end

-- messageAll shows text to every client and spectator. One call of the engine sends it to all of them.
function messageAll(type, text, ...)
  commandToAll("ServerMessage", tag(type), worded(text, ...), ...)
end

-- messageAllExcept shows text to every client except one, and to spectators.
function messageAllExcept(except, type, text, ...)
  commandToWatchers("ServerMessage", tag(type), worded(text, ...), ...)
  toAll(function(client, ...)
    if client ~= except then messageClient(client, ...) end
  end, type, text, ...)
end

-- Runs when the server refuses commands of a client, because they use too much script time.
function GameConnection.onCommandsRefused(client, count)
  messageClient(client, "MsgRefused", text("refused", count))
end

export("messageClient", messageClient)
export("messageAll", messageAll)
export("messageAllExcept", messageAllExcept)
