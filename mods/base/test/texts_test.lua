-- Texts in the languages of the players.

test("each client reads its own language", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob", language = "de" }
  equal({ ann.client.language, bob.client.language }, { "en", "de" })
  ann:lines()
  bob:lines()
  client { name = "Eve" }
  wait(300)
  equal(ann:lines(), { "Eve joined the game." })
  equal(bob:lines(), { "Eve spielt jetzt mit." })
end)

test("a menu is in the language of the client", function()
  local bob = client { name = "Bob", language = "pl" }
  bob:lines()
  menu(bob.client, "m", text "mission_over", { text "muted_reason", "x" })
  wait(300)
  equal(bob:console "form", "Koniec misji.\n1  [zakaz pisania]\n2  [x]")
end)

test("what the engine answers to a command is in the language of the client", function()
  local bob = client { name = "Bob", language = "de" }
  wait(300)
  bob:lines()
  bob:say("/nonsense")
  bob:say("/help")
  wait(300)
  local lines = bob:lines()
  equal({ #lines, lines[1] }, { 2, "Diesen Befehl gibt es nicht." })
end)

test("an answer keeps the isolates of the engine, and no others", function()
  local names = require "server.names"
  equal(names.plain("\226\129\168Ann\226\129\169 x", 99, true), "\226\129\168Ann\226\129\169 x")
  equal(names.plain("Ann\226\129\169 x", 99, true), "Ann x")
  equal(names.plain("\226\129\168Ann\226\129\169 x", 99), "Ann x")
end)

test("a changed text of a line is sent, an equal one is not", function()
  local bob = client { name = "Bob", language = "de" }
  hud(bob.client, 1, text "mission_over")
  waitFor(function() return bob:hud(1) == "Die Mission ist vorbei." end)
  hud(bob.client, 1, text("in_team", "Ann", "x"))
  waitFor(function() return bob:hud(1) == "Ann ist jetzt im Team x." end)
  local queued = bob.client.queued
  hud(bob.client, 1, text("in_team", "Ann", "x"))
  equal(bob.client.queued, queued)
end)
