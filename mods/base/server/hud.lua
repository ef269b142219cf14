-- The HUD: sixteen lines of text on every client's screen. The last two disappear after some time.

local LINES = 14          -- of hud; centerPrint and bottomPrint use the two below
local hit = commandToClient.with { guarantee = "none" }
local SECONDS, MOST = 5, 60 -- default and maximum duration of a print

-- comparable returns a value that is equal for values with equal text. Numbers and strings stay as
-- they are, so that the usual comparison makes no strings. The text of a client is its name.
local function comparable(value)
  if value == nil then return "nil" end
  local kind = type(value)
  if kind == "number" or kind == "string" or isText(value) then return value end
  if isObject(value) and value.className == "GameConnection" then return value.name end
  return tostring(value)
end

-- same reports whether the line of a client with this own table already shows this text with the nine
-- arguments that a text can name. If not, it records them. Most values are equal as they are.
local function same(own, line, text, ...)
  local shown = own.hud
  if not shown then
    shown = {}
    own.hud = shown
  end
  local n, was = select("#", ...), shown[line]
  local a, b, c, d, e, f, g, h, i = ...
  if n > 9 then n = 9 end
  if was and was[11] == n and (was[10] == text or was[10] == comparable(text))
    and (n < 1 or was[1] == a or was[1] == comparable(a)) and (n < 2 or was[2] == b or was[2] == comparable(b))
    and (n < 3 or was[3] == c or was[3] == comparable(c)) and (n < 4 or was[4] == d or was[4] == comparable(d))
    and (n < 5 or was[5] == e or was[5] == comparable(e)) and (n < 6 or was[6] == f or was[6] == comparable(f))
    and (n < 7 or was[7] == g or was[7] == comparable(g)) and (n < 8 or was[8] == h or was[8] == comparable(h))
    and (n < 9 or was[9] == i or was[9] == comparable(i)) then
    return true
  end
  if not was then
    was = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } -- a list from its beginning on, which is faster
    shown[line] = was
  end
  was[1], was[2], was[3], was[4], was[5], was[6], was[7], was[8], was[9], was[10], was[11] =
    comparable(a), comparable(b), comparable(c), comparable(d), comparable(e), comparable(f),
    comparable(g), comparable(h), comparable(i), comparable(text), n
  return false
end

-- hud shows text in a line (1 to 14) of one client's screen until the next call. nil or "" clears
-- the line. %1 … %9 in the text stand for the arguments after it. An unchanged line is not sent.
function hud(client, line, text, ...)
  if not (type(line) == "number" and line >= 1 and line <= LINES and line % 1 == 0) then
    error("hud: the line must be 1…" .. LINES .. ", not " .. tostring(line), 2)
  end
  if client.isBot then return end
  local own = client.own
  text = text or ""
  if own.gone or same(own, line, text, ...) then return end
  commandToClient(client, "Hud", line, worded(text, ...), ...)
end

-- hudWatchers shows text in a line to the spectators.
function hudWatchers(line, text, ...) commandToWatchers("Hud", line, worded(text or "", ...), ...) end

-- hudAll shows text in a line to every client that has joined, and to spectators.
function hudAll(line, text, ...)
  toAll(hud, line, text, ...)
  hudWatchers(line, text, ...)
end

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

function clearCenterPrint(client) centerPrint(client, "", 0) end
function clearBottomPrint(client) bottomPrint(client, "", 0) end

function clearCenterPrintAll() toAll(clearCenterPrint) end
function clearBottomPrintAll() toAll(clearBottomPrint) end

-- showHit shows a client that it has hit something.
function showHit(client)
  if not client.isBot and not client.own.gone then hit(client, "Hit") end
end

for name, fn in pairs {
  showHit = showHit, hud = hud, hudAll = hudAll, hudWatchers = hudWatchers, centerPrint = centerPrint, centerPrintAll = centerPrintAll,
  bottomPrint = bottomPrint, bottomPrintAll = bottomPrintAll, clearCenterPrint = clearCenterPrint,
  clearCenterPrintAll = clearCenterPrintAll, clearBottomPrint = clearBottomPrint, clearBottomPrintAll = clearBottomPrintAll,
} do export(name, fn) end
