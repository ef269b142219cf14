-- The server drains.

local function has(lines, line)
  for _, l in ipairs(lines) do if l == line then return true end end
end

test("everybody reads that the server drains, and the bots leave for good", function()
  console "sv.bots 3"
  local ann, ben = client { name = "Ann", halves = false }, client { name = "Ben", language = "de", halves = false }
  waitFor(function() return #players "bots" == 3 end)
  ann:lines()
  ben:lines()
  console "drain 1h"
  wait(500)
  equal(#players "bots", 0)
  truthy(has(ann:lines(), "This server closes soon. If there is another one, you are sent there."))
  truthy(has(ben:lines(), "Dieser Server schließt bald. Gibt es einen anderen, kommst du von selbst dorthin."))
  wait(1000)
  equal(#players "bots", 0, "sv.bots cannot bring them back")
  truthy(not client { name = "Eve", halves = false }.joined)
  console "drain off"
  waitFor(function() return #players "bots" == 3 end)
  truthy(client { name = "Eve", halves = false }.joined)
end)
