-- Player names: removes characters that cannot be shown, and keeps look-alike names apart.

local MAX_RUNES, MAX_TAG = 24, 24
local names = {}

-- Maps characters that look like a Latin letter to that letter, for comparison.
local lookalikes = {
  ["а"] = "a", ["А"] = "a", ["в"] = "b", ["В"] = "b", ["с"] = "c", ["С"] = "c", ["е"] = "e", ["Е"] = "e",
  ["ё"] = "e", ["н"] = "h", ["Н"] = "h", ["і"] = "l", ["І"] = "l", ["ј"] = "j", ["к"] = "k", ["К"] = "k",
  ["м"] = "m", ["М"] = "m", ["о"] = "o", ["О"] = "o", ["р"] = "p", ["Р"] = "p", ["ѕ"] = "s", ["т"] = "t",
  ["Т"] = "t", ["у"] = "y", ["У"] = "y", ["х"] = "x", ["Х"] = "x", ["α"] = "a", ["Α"] = "a", ["Β"] = "b",
  ["Ε"] = "e", ["Η"] = "h", ["Ι"] = "l", ["Κ"] = "k", ["Μ"] = "m", ["Ν"] = "n", ["ο"] = "o", ["Ο"] = "o",
  ["ρ"] = "p", ["Ρ"] = "p", ["Τ"] = "t", ["Χ"] = "x", ["Υ"] = "y", ["ν"] = "v", ["ı"] = "l",
  ["0"] = "o", ["1"] = "l", ["i"] = "l", ["|"] = "l", ["!"] = "l", ["5"] = "s", ["$"] = "s",
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

-- hidden reports whether a code point is invisible or changes how its neighbours look.
local function hidden(n)
  return n < 0x20 or n >= 0x7F and n <= 0x9F or n == 0xAD or n == 0x34F or n == 0x61C or n >= 0x115F and n <= 0x1160
    or n >= 0x17B4 and n <= 0x17B5 or n >= 0x180B and n <= 0x180F or n >= 0x200B and n <= 0x200F
    or n >= 0x2028 and n <= 0x202E or n >= 0x2060 and n <= 0x206F or n == 0x3164 or n >= 0xD800 and n <= 0xF8FF
    or n >= 0xFE00 and n <= 0xFE0F or n == 0xFEFF or n == 0xFFA0 or n >= 0xFFF0 and n <= 0xFFFF or n >= 0xE0000
end

-- names.plain removes invalid UTF-8 and hidden characters from a text, and cuts it after max
-- characters. All text from clients must pass through here before it is shown.
function names.plain(text, max)
  local out, i = {}, 1
  while i <= #text and #out < max do
    local n = width(text, i)
    if n then
      local r = text:sub(i, i + n - 1)
      if not hidden(codepoint(r)) then out[#out + 1] = r end
    end
    i = i + (n or 1)
  end
  return table.concat(out)
end

-- fold returns a form of a name in which look-alike names are equal.
local function fold(name)
  local out, i = {}, 1
  name = name:lower()
  while i <= #name do
    local n = width(name, i) or 1
    local r = name:sub(i, i + n - 1)
    if not r:find("^[%s%.%-_']$") then out[#out + 1] = lookalikes[r] or r end
    i = i + n
  end
  return table.concat(out)
end

-- looks returns fold of a client's name, cached until the name changes.
local function looks(client)
  local own, name = client.own, client.name
  if own.name ~= name then own.name, own.looks = name, fold(name) end
  return own.looks
end

-- taken returns the set of the folded names of all clients except one.
local function taken(except)
  local set = {}
  for client in clientGroup:each() do
    if client ~= except and client.name then set[looks(client)] = true end
  end
  return set
end

-- names.unique turns a requested name into one that looks different from all other names.
function names.unique(wish, client)
  local name = names.plain(wish or "", MAX_RUNES):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  if fold(name) == "" then name = "Player" end
  local free, n, others = name, 1, taken(client)
  while others[fold(free)] do
    n = n + 1
    local suffix = " (" .. n .. ")"
    free = names.plain(name, MAX_RUNES - #suffix) .. suffix
  end
  return free
end

-- names.tag shortens a client's name for display over a player: at most 24 bytes, whole characters.
function names.tag(client)
  local name = client.name
  while #name > MAX_TAG do name = name:gsub("[^\128-\191][\128-\191]*$", "") end
  return name
end

export("nameTag", names.tag)

return names
