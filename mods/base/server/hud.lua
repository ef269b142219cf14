-- The HUD: sixteen lines of text on every client's screen. The last two disappear after some time.

local LINES = 14          -- of hud; centerPrint and bottomPrint use the two below
local SECONDS, MOST = 5, 60 -- default and maximum duration of a print

-- worded returns a text in the form in which it is sent. With arguments it becomes a tag: a tag
-- crosses a connection once, and the client fills the arguments in. Without arguments it stays a
-- string, because such a text may differ each time.
local function worded(text, ...)
  if isTag(text) or select("#", ...) == 0 then return text end
  return tag(text)
end

-- same reports whether a client's line already shows this text. If not, it records the new text.
local function same(client, line, ...)
  local shown, parts = client.own.hud or {}, { ... }
  client.own.hud = shown
  for i = 1, select("#", ...) do parts[i] = tostring(parts[i]) end
  local now = table.concat(parts, "\1")
  if shown[line] == now then return true end
  shown[line] = now
  return false
end

-- hud shows text in a line (1 to 14) of one client's screen until the next call. nil or "" clears
-- the line. %1 … %9 in the text stand for the arguments after it. An unchanged line is not sent.
function hud(client, line, text, ...)
  if not (type(line) == "number" and line >= 1 and line <= LINES and line % 1 == 0) then
    error("hud: the line must be 1…" .. LINES .. ", not " .. tostring(line), 2)
  end
  if client.isBot or client.own.gone or same(client, line, text or "", ...) then return end
  commandToClient(client, "Hud", line, worded(text or "", ...), ...)
end

-- hudAll shows text in a line to every client that has joined.
function hudAll(line, text, ...) toAll(hud, line, text, ...) end

-- print shows text for some seconds, in the middle of the screen or below it.
local function print(command, client, text, seconds, ...)
  if client.isBot or client.own.gone then return end
  seconds = tonumber(seconds) or SECONDS
  commandToClient(client, command, math.max(0, math.min(seconds, MOST)), worded(text or "", ...), ...)
end

function centerPrint(client, text, seconds, ...) print("CenterPrint", client, text, seconds, ...) end
function bottomPrint(client, text, seconds, ...) print("BottomPrint", client, text, seconds, ...) end

function centerPrintAll(text, seconds, ...) toAll(centerPrint, text, seconds, ...) end
function bottomPrintAll(text, seconds, ...) toAll(bottomPrint, text, seconds, ...) end

for name, fn in pairs {
  hud = hud, hudAll = hudAll, centerPrint = centerPrint, centerPrintAll = centerPrintAll,
  bottomPrint = bottomPrint, bottomPrintAll = bottomPrintAll,
} do export(name, fn) end
