local names = require "server.names"

test("names are cleaned", function()
  for wish, name in pairs {
    ["Ann"] = "Ann",
    ["  two   words "] = "two words",
    ["a\27[2Jb\0c"] = "a[2Jbc",
    [""] = "Player",
    ["\226\128\174"] = "Player", ["\226\128\139"] = "Player", ["\227\133\164"] = "Player",
    [("x"):rep(99)] = ("x"):rep(24),
  } do
    local c = client { name = "Someone" }
    names.give(c.client, wish)
    equal(c.client.name, name, wish)
    c:leave()
    waitFor(function() return #clientGroup == 0 end)
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

test("names with other code points, accents and spaces are look-alikes", function()
  local first = client { name = "Modern Bill" }
  for n, wish in ipairs {
    "Mod\226\128\141ern Bill", "Modern\227\133\164Bill\226\128\139", "Ｍｏｄｅｒｎ　Ｂｉｌｌ", "𝓜𝓸𝓭𝓮𝓻𝓷 𝓑𝓲𝓵𝓵", "Módérn Bïll", "ⓜⓞⓓⓔⓡⓝ ⓑⓘⓛⓛ", "Mоdеrn.Bіll", "mo\204\129dern bill", "ᴍᴏᴅᴇʀɴ ʙɪʟʟ", "MODEM BILL", "[Modern_8ill]",
  } do
    local c = client { name = wish }
    local number = c.client.name:match(" %((%d+)%)$")
    equal(number, wish ~= "[Modern_8ill]" and tostring(n + 1) or nil, c.client.name)
  end
  equal(first.client.name, "Modern Bill")
end)

test("nobody has a name of the server, or a name with a mark of a line", function()
  for wish, name in pairs {
    ["Server"] = "Player", ["S e r v e r"] = "Player", ["Ѕеrvеr"] = "Player", ["SERVER!"] = "Player", ["the $erver"] = "Player",
    ["Administrator"] = "Player", ["Аdmin Bob"] = "Player", ["c0nsole"] = "Player", ["Observer"] = "Observer",
    ["*** Bob: hi"] = "Bob hi", ["Ann (2)"] = "Ann 2", ["<Ann>：x"] = "Annx",
  } do
    local c = client { name = wish }
    equal(c.client.name, name, wish)
    c:leave()
    waitFor(function() return #clientGroup == 0 end)
  end
end)

test("the name of an admin is kept for the admin's key", function()
  local ann = client { name = "Carl" }
  local admin = client { name = "carl", roles = { "admin" } }
  equal(admin.client.name, "carl")
  local key = admin.client.key
  equal(ann.client.name, "Carl (2)")
  admin:leave()
  waitFor(function() return #clientGroup == 1 end)
  equal(client { name = "Carl" }.client.name, "Carl (3)")
  local kept = {}
  for entry, look in store:each "admin " do kept[entry] = look end
  equal(kept["admin " .. key], "carl")
end)

test("a number is free again when its player has left", function()
  local list = {}
  for n = 1, 5 do list[n] = client { name = "Twin" } end
  equal(list[5].client.name, "Twin (5)")
  list[3]:leave()
  waitFor(function() return #clientGroup == 4 end)
  list[3] = client { name = "Twin" }
  equal(list[3].client.name, "Twin (3)")
  for _, c in ipairs(list) do c:leave() end
  waitFor(function() return #clientGroup == 0 end)
  equal(client { name = "Twin" }.client.name, "Twin")
  equal(client { name = "Twin" }.client.name, "Twin (2)")
end)

test("a player changes the name during the game, and all are told", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  wait(200)
  local told = {}
  function onRename(client, before) told[#told + 1] = before .. " " .. client.name end
  bob:lines()
  ann:command("Rename", "Zo\27e")
  wait(200)
  equal(ann.client.name, "Zoe")
  equal(bob:lines(), { "Ann is now called Zoe." })
  ann:command("Rename", "Zoe")
  ann:command("Rename", "bob")
  wait(200)
  equal(ann.client.name, "bob (2)", "it looks like another name")
  equal(told, { "Ann Zoe", "Zoe bob (2)" })
  onRename = nil
  equal(client { name = "Ann" }.client.name, "Ann", "the old name is free")
end)

test("new names count as chat lines, and muted players keep theirs", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  wait(200)
  console "mute Bob"
  bob:command("Rename", "Spam")
  wait(200)
  equal(bob.client.name, "Bob")
  for i = 1, 20 do ann:command("Rename", "Ann" .. i) end
  wait(300)
  equal(ann.client.name, "Ann8")
end)

test("a game without teams says so to those who choose one", function()
  local ann = client { name = "Ann" }
  wait(200)
  ann:lines()
  ann:command("Key", "team")
  ann:command("Key", "anything")
  wait(200)
  equal(ann:lines(), { "This game has no choice of a team." })
end)
