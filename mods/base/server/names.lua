-- Player names and texts of players: removes characters that cannot be shown, keeps look-alike names
-- apart, and reserves the names of the server and of admins.

local MAX_RUNES, MAX_TAG = 24, 24
local STEM = 17  -- characters of a name before its number; " (4096)" has seven
local ADMIN = "admin " -- prefix of the stored names of admins
local names = {}

-- Maps characters that look like a Latin letter to that letter, for comparison.
local lookalikes = {
  ["0"] = "o", ["1"] = "l", ["i"] = "l", ["|"] = "l", ["!"] = "l", ["5"] = "s", ["$"] = "s", ["@"] = "a",
}
for letter, list in pairs {
  a = "а А α Α ɑ ᴀ ạ ả", b = "в В Β ь Ь ʙ", c = "с С ϲ ᴄ ⅽ", d = "ԁ ᴅ ɗ", e = "е Е ё Ё є Є ε Ε ᴇ ə ɛ ẹ",
  f = "ꜰ ƒ", g = "ց ɡ ɢ ǥ", h = "н Н һ Һ հ Η ʜ", j = "ј Ј ᴊ ȷ", k = "к К κ Κ ᴋ",
  l = "і І ї Ї ӏ Ӏ ι Ι ʟ ɪ ǀ ∣ ⅼ ⅰ", m = "м М Μ ᴍ ⅿ", n = "п П ո Ν η ɴ", o = "о О ο Ο σ օ Օ ᴏ ө Ө ọ ơ", p = "р Р ρ Ρ ᴘ",
  q = "ԛ", r = "г ʀ я Я", s = "ѕ Ѕ ꜱ ș", t = "т Т τ Τ ᴛ ț", u = "υ ս ᴜ ʋ ụ ư", v = "ν ѵ Ѵ ᴠ ⅴ", w = "ԝ Ԝ ω ѡ ᴡ",
  x = "х Х χ Χ × ⅹ", y = "у У ү Ү Υ γ ʏ", z = "Ζ ᴢ",
} do
  for r in list:gmatch("%S+") do lookalikes[r] = letter end
end

-- The letters from U+00C0 to U+017F without their accents. A dot stands for other characters.
local accented = "aaaaaa.ceeeelllldnooooo.ouuuuypbaaaaaa.ceeeelllldnooooo.ouuuuypy"
  .. "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhllllllllllll.jjkkkllllllllllnnnnnnnnnoooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"

-- Alphabets in other styles, such as circled letters: the code points of a, and of the end.
local alphabets = {
  { 0x1D400, 0x1D6A4 }, { 0x24B6, 0x24EA }, { 0x249C, 0x24B6 }, { 0x1F110, 0x1F12A }, { 0x1F130, 0x1F14A },
  { 0x1F150, 0x1F16A }, { 0x1F170, 0x1F18A }, { 0x1F1E6, 0x1F200 },
}

-- width returns the length in bytes of the UTF-8 sequence at byte i of s, or nil if there is none.
local function width(s, i)
  local b = s:byte(i)
  local n = b < 0x80 and 1 or b >= 0xC2 and b < 0xE0 and 2 or b >= 0xE0 and b < 0xF0 and 3 or b >= 0xF0 and b < 0xF5 and 4
  if not n then return nil end
  for k = i + 1, i + n - 1 do
    local c = s:byte(k)
    if not c or c < 0x80 or c > 0xBF then return nil end
  end
  return n
end

-- codepoint returns the code point of the UTF-8 sequence r.
local function codepoint(r)
  local a, b, c, d = r:byte(1, 4)
  if not b then return a end
  if not c then return (a - 0xC0) * 64 + b - 0x80 end
  if not d then return ((a - 0xE0) * 64 + b - 0x80) * 64 + c - 0x80 end
  return (((a - 0xF0) * 64 + b - 0x80) * 64 + c - 0x80) * 64 + d - 0x80
end

-- balanced reports whether a text closes the isolates that it opens (U+2068, U+2069), and no more.
local function balanced(text)
  local open = 0
  for last in text:gmatch("\226\129([\168\169])") do
    open = open + (last == "\168" and 1 or -1)
    if open < 0 then return false end
  end
  return open == 0
end

-- unsafe reports whether a code point controls more than its own place: a control character, a line
-- separator, an override of the direction, or no character at all.
local function unsafe(n)
  return n < 0x20 or n >= 0x7F and n <= 0x9F or n >= 0x2028 and n <= 0x202E or n >= 0x2066 and n <= 0x2069
    or n >= 0xD800 and n <= 0xDFFF or n >= 0x110000
end

-- hidden reports whether a code point is invisible, or changes how its neighbours look: a joiner, a soft
-- hyphen. Words and emoji consist of them, too.
local function hidden(n)
  return n < 0x20 or n >= 0x7F and n <= 0x9F or n == 0xAD or n == 0x34F or n == 0x61C or n >= 0x115F and n <= 0x1160
    or n >= 0x17B4 and n <= 0x17B5 or n >= 0x180B and n <= 0x180F or n >= 0x200B and n <= 0x200F
    or n >= 0x2028 and n <= 0x202E or n >= 0x2060 and n <= 0x206F or n == 0x2800 or n == 0x3164 or n >= 0xD800 and n <= 0xF8FF
    or n >= 0xFE00 and n <= 0xFE0F or n == 0xFEFF or n == 0xFFA0 or n >= 0xFFF0 and n <= 0xFFFF or n >= 0xE0000
end

-- names.plain removes invalid UTF-8 and unsafe characters from a text, and cuts it after max
-- characters. It returns "" if all that is left is hidden. It reads at most 4 * max bytes. All text
-- from clients must pass through here before it is shown. With isolates, those that the engine has written
-- around names stay.
function names.plain(text, max, isolates)
  text = text:sub(1, 4 * max)
  isolates = isolates and balanced(text)
  if not text:find("[^\32-\126]") then return text:sub(1, max) end
  local out, i, shown = {}, 1, false
  while i <= #text and #out < max do
    local n = width(text, i)
    if n then
      local r = text:sub(i, i + n - 1)
      local c = codepoint(r)
      if not unsafe(c) or isolates and (c == 0x2068 or c == 0x2069) then out[#out + 1] = r end
      shown = shown or not hidden(c)
    end
    i = i + (n or 1)
  end
  return shown and table.concat(out) or ""
end

-- latin returns the ASCII character that a code point above 127 looks like: "" if it is a space, hidden
-- or a mark on its neighbour, nil if it looks like none.
local function latin(n)
  if hidden(n) then return "" end
  if n < 0xC0 then return n == 0xA0 and "" or nil end
  if n < 0x180 then
    local c = accented:sub(n - 0xBF, n - 0xBF)
    return c ~= "." and c or nil
  end
  if n >= 0x300 and n < 0x370 or n >= 0x1AB0 and n < 0x1B00 or n >= 0x1DC0 and n < 0x1E00 or n >= 0x20D0 and n < 0x2100
    or n >= 0xFE20 and n < 0xFE30 or n >= 0x2000 and n < 0x2010 or n == 0x202F or n == 0x205F or n == 0x3000 then return "" end
  if n > 0xFF00 and n < 0xFF5F then return string.char(n - 0xFEE0):lower() end
  if n >= 0x1D7CE and n < 0x1D800 then return string.char(48 + (n - 0x1D7CE) % 10) end
  for _, a in ipairs(alphabets) do
    if n >= a[1] and n < a[2] then return string.char(97 + (n - a[1]) % 26) end
  end
end

-- fold returns a form of a name in which look-alike names are equal.
local function fold(name)
  local out, i = {}, 1
  name = name:lower()
  while i <= #name do
    local n = width(name, i) or 1
    local r = name:sub(i, i + n - 1)
    r = lookalikes[r] or n > 1 and latin(codepoint(r)) or r
    r = lookalikes[r] or r
    if not r:find("^[%s%p]$") then out[#out + 1] = r end
    i = i + n
  end
  return (table.concat(out):gsub("rn", "m"):gsub("vv", "w"))
end

-- The names of the server. No player gets a name that begins with one of them or has one as a word.
local reserved = {}
for _, word in ipairs { "server", "console", "admin", "operator", "moderator", "system" } do reserved[fold(word)] = true end

local function isReserved(name, look)
  for word in pairs(reserved) do
    if look:sub(1, #word) == word then return true end
  end
  if not name:find("[%s%.%-_]") then return false end
  for word in name:gmatch("[^%s%.%-_]+") do
    if reserved[fold(word)] then return true end
  end
  return false
end

-- clean returns a requested name and its folded form, without characters that have a meaning in
-- lines: a name ends with a colon in the chat, "(" begins a number, and "*" begins the lines of the
-- server.
local function clean(wish)
  local out = {}
  for r in names.plain(wish, MAX_RUNES):gmatch("[^\128-\191][\128-\191]*") do
    local c = #r > 1 and latin(codepoint(r)) or r
    if not c:find("^[:%(%)%*<>]$") and r ~= "∶" and r ~= "꞉" and r ~= "։" then out[#out + 1] = r end
  end
  local name = table.concat(out):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  local look = fold(name)
  if look == "" or isReserved(name, look) then return "Player", fold("Player") end
  return name, look
end

local owners = {}  -- the client that has a name, by its folded form; names with a number are not here
local numbers = {} -- of names with a number, by the folded stem: {next, free = list, used}
local admins = {}  -- the key of the admin who has used a name, by its folded form
local keys = {}    -- the folded names of admins, by key

-- A host in another program can be without a store. Then the names of admins are kept until it ends.
pcall(function()
  for entry, look in store:each(ADMIN) do
    local key = entry:sub(#ADMIN + 1)
    admins[look], keys[key] = key, look
  end
end)

-- remember reserves the name of an admin for the key, also while the admin is away.
local function remember(client)
  if client.isBot then return end
  local key, look = client.key, client.own.look
  local before, admin = keys[key], client:hasRole("admin")
  if before == (admin and look or nil) or admin and client.own.number then return end
  if before then admins[before] = nil end
  if admin and not admins[look] then admins[look] = key else look = nil end
  keys[key] = look
  pcall(function() if look then store:put(ADMIN .. key, look) else store:delete(ADMIN .. key) end end)
end

-- number adds a number to a name. The cost does not depend on the number of players.
local function number(client, name)
  local stem = names.plain(name, STEM):gsub(" $", "")
  local look = fold(stem)
  local list = numbers[look] or { next = 2, free = {}, used = 0 }
  numbers[look] = list
  local n = table.remove(list.free)
  if not n then n, list.next = list.next, list.next + 1 end
  list.used = list.used + 1
  client.own.look, client.own.number = look, n
  return stem .. " (" .. n .. ")"
end

-- names.free ends a client's claim to its name.
function names.free(client)
  local own = client.own
  local look, n = own.look, own.number
  own.look, own.number = nil, nil
  if not look then return end
  if not n then
    if owners[look] == client then owners[look] = nil end
    return
  end
  local list = numbers[look]
  if not list then return end
  list.used, list.free[#list.free + 1] = list.used - 1, n
  if list.used == 0 then numbers[look] = nil end
end

-- take makes a client the owner of a folded name. It returns false if the name belongs to somebody
-- else. An admin takes it from any other player, who gets a number.
local function take(client, look)
  local owner = owners[look]
  if owner and not (isObject(owner) and owner.own.look == look) then owner = nil end
  if admins[look] and admins[look] ~= client.key then return false end
  if owner and (not client:hasRole("admin") or owner:hasRole("admin")) then return false end
  if owner then owner.name = number(owner, owner.name) end
  owners[look] = client
  client.own.look = look
  return true
end

-- names.give gives a client a name that looks different from all other names. The name is the
-- requested one if possible, otherwise the requested one with a number.
function names.give(client, wish)
  names.free(client)
  local name, look = clean(wish)
  client.name = take(client, look) and name or number(client, name)
  remember(client)
end

-- names.change gives a player another name, and tells all mods, and all players if they know the name.
function names.change(client, wish)
  local before = client.name
  names.give(client, wish)
  if client.name == before then return end
  if client.own.announced then messageAll("MsgRename", text("renamed", before, client.name)) end
  broadcast("onRename", client, before)
end

-- names.resume collects the names of all clients after a reload.
function names.resume()
  for client in clientGroup:each() do
    local own = client.own
    if own.number then
      local list = numbers[own.look] or { next = 2, free = {}, used = 0 }
      numbers[own.look] = list
      list.used, list.next = list.used + 1, math.max(list.next, own.number + 1)
    elseif own.look then
      owners[own.look] = client
    end
  end
end

-- names.tag shortens a client's name for display over a player: at most 24 bytes, whole characters.
function names.tag(client)
  local name = client.name
  if #name <= MAX_TAG then return name end
  local last = MAX_TAG
  while last > 0 and name:byte(last + 1) >= 0x80 and name:byte(last + 1) <= 0xBF do last = last - 1 end
  return name:sub(1, last)
end

export("nameTag", names.tag)

return names
