-- The HUD: sixteen lines of text on every client's screen, of which the last two come and go by themselves.

local LINES = 14          -- for hud; centerPrint and bottomPrint have the two below
local SECONDS, MOST = 5, 60 -- how long a print stays, and at most

-- worded is a text as it is sent: with arguments a tag, which crosses a connection once and is filled in over
-- there. Without, as it is: it may be another one each time.
local function worded(text, ...)
  if isTag(text) or select("#", ...) == 0 then return text end
  return tag(text)
end

-- same tells whether a client's line shows this already, and notes that it does from now on.
local function same(client, line, ...)
  local shown, parts = client.own.hud or {}, { ... }
  client.own.hud = shown
  for i = 1, select("#", ...) do parts[i] = tostring(parts[i]) end
  local now = table.concat(parts, "\1")
  if shown[line] == now then return true end
  shown[line] = now
  return false
end

-- hud shows text in a line, 1 to 14, of one client's screen until another; nil or "" clears it. %1 … %9 in the text
-- stand for the arguments after it. What is there already is not sent again.
function hud(client, line, text, ...)
  if not (type(line) == "number" and line >= 1 and line <= LINES and line % 1 == 0) then
    error("hud: the line must be 1…" .. LINES .. ", not " .. tostring(line), 2)
  end
  if client.isBot or client.own.gone or same(client, line, text or "", ...) then return end
  commandToClient(client, "Hud", line, worded(text or "", ...), ...)
end

-- hudAll shows it to everybody who has joined.
function hudAll(line, text, ...)
  for client in clientGroup:each() do hud(client, line, text, ...) end
end

-- print shows text in the middle of the screen, or below it, for some seconds.
local function print(command, client, text, seconds, ...)
  if client.isBot or client.own.gone then return end
  seconds = tonumber(seconds) or SECONDS
  commandToClient(client, command, math.max(0, math.min(seconds, MOST)), worded(text or "", ...), ...)
end

function centerPrint(client, text, seconds, ...) print("CenterPrint", client, text, seconds, ...) end
function bottomPrint(client, text, seconds, ...) print("BottomPrint", client, text, seconds, ...) end

function centerPrintAll(text, seconds, ...)
  for client in clientGroup:each() do centerPrint(client, text, seconds, ...) end
end

function bottomPrintAll(text, seconds, ...)
  for client in clientGroup:each() do bottomPrint(client, text, seconds, ...) end
end

for name, fn in pairs {
  hud = hud, hudAll = hudAll, centerPrint = centerPrint, centerPrintAll = centerPrintAll,
  bottomPrint = bottomPrint, bottomPrintAll = bottomPrintAll,
} do export(name, fn) end
