local names = require "server.names"

test("names are cleaned", function()
  for wish, name in pairs {
    ["Ann"] = "Ann",
    ["  two   words "] = "two words",
    ["a\27[2Jb\0c"] = "a[2Jbc",
    [""] = "Player",
    ["\226\128\174"] = "Player",
    [("x"):rep(99)] = ("x"):rep(24),
  } do
    equal(names.unique(wish), name, wish)
  end
end)

test("similar names are made different", function()
  local ann, other, third = client { name = "Ann" }, client { name = "ann" }, client { name = "Аnn" } -- third is partly Cyrillic
  equal(ann.client.name, "Ann")
  equal(other.client.name, "ann (2)")
  equal(third.client.name, "Аnn (3)")
  other:leave()
  waitFor(function() return #clientGroup == 2 end)
  equal(client { name = "ANN" }.client.name, "ANN (2)")
end)

test("a name tag has at most 24 bytes, in whole characters", function()
  local name = ("ä"):rep(20)
  local c = client { name = name }
  equal(c.client.name, name)
  equal(names.tag(c.client), ("ä"):rep(12))
end)
