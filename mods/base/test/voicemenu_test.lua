local base = import "base"

local function menu()
  voiceMenu {
    { "a", "Attack", { { "f", "Their flag", say = "Get their flag!" }, { "b", "Attack the base!" } } },
    { "g", "All", { { "h", "Hello!" }, { "d", "Deeper", { { "y", "Yes!" } } } }, to = "all" },
  }
end

test("a line of the V menu reaches the team, or all", function()
  base.setTeams { "Red", "Blue" }
  menu()
  local ann, bob, cat = client { name = "Ann" }, client { name = "Bob" }, client { name = "Cat" }
  wait(300)
  base.setTeam(ann.client, 1) base.setTeam(bob.client, 1) base.setTeam(cat.client, 2)
  wait(200)
  ann:lines() bob:lines() cat:lines()
  equal(ann:console "v", "A  Attack …\nG  All …")
  equal(ann:console "v g", "GH  Hello!\nGD  Deeper …")
  equal(ann:console "v gx", "no line has the keys GX: v lists them")
  ann:console "v af"
  wait(200)
  equal({ ann:lines(), bob:lines(), cat:lines() }, { { "(Red) Ann: Get their flag!" }, { "(Red) Ann: Get their flag!" }, {} })
  ann:console "v gh" ann:console "v gdy"
  wait(200)
  equal(cat:lines(), { "Ann: Hello!", "Ann: Yes!" })
  ann:command("VoiceLine", "A") ann:command("VoiceLine", "") ann:command("VoiceLine", ("A"):rep(1000))
  wait(200)
  equal(bob:lines(), { "Ann: Hello!", "Ann: Yes!" }, "an entry with entries is no line")
  base.setTeam(ann.client, nil)
  wait(200)
  cat:lines()
  ann:console "v ab"
  wait(200)
  equal(cat:lines(), { "Ann: Attack the base!" }, "without a team, all hear it")
  voiceMenu {}
  wait(200)
  equal(ann:console "v", "this game has no V menu")
  base.setTeams {}
end)

test("lines of the V menu count as chat for flood and mutes", function()
  menu()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  wait(300)
  ann:lines() bob:lines()
  for _ = 1, 12 do ann:command("VoiceLine", "GH") end
  wait(200)
  local n = 0
  for _, line in ipairs(bob:lines()) do if line == "Ann: Hello!" then n = n + 1 end end
  equal(n, 8)
  ann:say("and me?")
  wait(200)
  equal(bob:lines(), {}, "typed lines have the same limit")
  console "mute Bob"
  bob:lines() ann:lines()
  bob:command("VoiceLine", "GH")
  wait(200)
  equal(ann:lines(), {})
  equal(bob:lines(), { "You are muted: forever." })
  voiceMenu {}
end)

test("everybody reads a line in their own language", function()
  voiceMenu { { "m", text "mission_over", to = "all" } }
  local ann, bob = client { name = "Ann", language = "de" }, client { name = "Bob" }
  wait(300)
  ann:lines() bob:lines()
  equal(ann:console "v", "M  Die Mission ist vorbei.")
  bob:console "v m"
  wait(200)
  equal({ ann:lines(), bob:lines() }, { { "Bob: Die Mission ist vorbei." }, { "Bob: The mission is over." } })
  voiceMenu {}
end)

test("a wrong menu is an error", function()
  fails(function() voiceMenu(5) end, "the entries of the menu must be a list")
  fails(function() voiceMenu { 5 } end, "entry 1 must be a table")
  fails(function() voiceMenu { { "ab", "x" } } end, "the key must be a letter or a digit")
  fails(function() voiceMenu { { "a", "x" }, { "A", "y" } } end, "the key A is used twice")
  fails(function() voiceMenu { { "a" } } end, "entry 1 needs a text")
  fails(function() voiceMenu { { "a", "x", to = "us" } } end, 'to must be "team" or "all"')
  fails(function() voiceMenu { { "a", "x", 5 } } end, "the entries of A must be a list")
  local deep = { { "a", "x" } }
  for _ = 1, 4 do deep = { { "a", "x", deep } } end
  fails(function() voiceMenu(deep) end, "a line has at most 4 keys")
  local many = {}
  for i = 1, 9 do
    many[i] = { tostring(i), "x", {} }
    for k = 1, 26 do many[i][3][k] = { string.char(64 + k), "x" } end
  end
  fails(function() voiceMenu(many) end, "a menu has at most 200 entries")
end)
