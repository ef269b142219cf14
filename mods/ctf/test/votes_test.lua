local game = require "test.game"
local match = require "server.match"

test("a map with a majority is played", function()
  local ann, bob, eve = client { name = "Ann" }, client { name = "Bob" }, client { name = "Eve" }
  ann:say("/vote map ridge")
  wait(200)
  game.said(bob, "Ann asks for the map ridge. /yes or /no")
  equal(match.mission, "valley")
  bob:say("/yes")
  waitFor(function() return match.mission == "ridge" end)
  wait(200)
  game.said(eve, "The vote has passed, 2 to 0.")
  waitFor(function() return eve.joined end, 5000, "Eve is not in the next mission")
end)

test("a vote fails when half are against it", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  ann:command("StartVote", "map", "valley")
  wait(100)
  bob:command("CastVote", false)
  wait(200)
  game.said(ann, "The vote has failed, 1 to 1.")
  equal(match.mission, "ridge")
end)

test("an unanswered vote fails after 30 s", function()
  local ann = client { name = "Ann" }
  client { name = "Bob" }
  ann:say("/vote kick Bob")
  wait(29000)
  ann:lines()
  wait(1500)
  game.said(ann, "The vote has failed, 1 to 0.")
end)

test("a player who is voted out is kicked, and bots do not count", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  local bot = addBot "Abacus"
  ann:say("/vote kick Bob")
  wait(200)
  equal(bob.joined, true)
  bob:say("/yes")
  waitFor(function() return not bob.joined end)
  truthy(bob.reason:find("kicked by vote", 1, true), bob.reason)
  bot:disconnect()
end)

test("a vote is started and answered by forms", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob", language = "de" }
  local votes = require "server.votes"
  ann:say("/vote")
  bob:say("/vote")
  wait(300)
  equal(ann:console "form", "Vote\n1  Map: 1 [valley]  2 ridge\n2  [Ask for this map]\n3  Player: 1 Ann  2 Bob\n4  [Ask to kick this player]")
  ann:console "form 1 ridge"
  ann:console "form 2"
  wait(300)
  game.said(bob, "möchte die Karte ridge")
  bob:console "form 2" -- the form from before the vote
  wait(300)
  game.said(bob, "Es läuft")
  bob:say("/vote")
  wait(300)
  truthy(bob:console "form":find "1  %[Ja%]\n2  %[Nein%]$")
  bob:console "form 2"
  wait(300)
  game.said(ann, "The vote has failed, 1 to 1.")
  equal(votes.running, nil)
  ann:say("/vote")
  wait(300)
  ann:console "form 4"
  wait(300)
  equal(votes.running, nil, "nobody is chosen")
end)

test("the form of a vote closes with the vote, and does not count for the next one", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  local votes = require "server.votes"
  bob:say("/vote kick Ann")
  wait(300)
  ann:say("/vote")
  wait(300)
  truthy(ann:console "form":find "Yes")
  bob:say("/no")
  wait(300)
  equal(ann:console "form", "no form is open")
  bob:say("/vote kick Ann")
  wait(300)
  fails(function() ann:console "form 1" end, "no form is open")
  wait(300)
  equal({ ann.joined, votes.running ~= nil }, { true, true })
  votes.stop()
end)

test("a vote on an unknown topic is refused", function()
  local ann = client { name = "Ann" }
  for line, want in pairs {
    ["/vote map nowhere"] = "The maps are: valley, ridge.",
    ["/vote kick Nobody"] = "No player has the name Nobody.",
    ["/vote moon"] = "You can vote for: map NAME, kick NAME.",
    ["/yes"] = "There is no vote.",
  } do
    ann:say(line)
    wait(200)
    game.said(ann, want)
  end
end)

test("the votes of one network address count as at most two", function()
  local votes = require "server.votes"
  local network = votes.network
  votes.network = function(c) return c.name:find("^Many") and "one house" or c.name end
  local many, people = {}, {}
  for n = 1, 8 do many[n] = client { name = "Many " .. n } end
  for n = 1, 3 do people[n] = client { name = "Person " .. string.char(64 + n) } end
  many[1]:say("/vote kick Person A")
  wait(200)
  for n = 2, 8 do many[n]:say("/yes") end
  wait(200)
  votes.running.ends = now()
  wait(200)
  game.said(people[2], "The vote has failed, 2 to 0.")
  equal(people[1].joined, true)
  votes.network = network
end)

test("the name in a vote passes the chat limit", function()
  local ann = client { name = "Ann" }
  for n = 1, 8 do ann:say("line") end
  wait(200)
  ann:lines()
  ann:command("StartVote", "kick", "Ann")
  wait(200)
  equal(ann:lines(), { "You talk too much: the limit is 8 lines in 10 seconds." })
end)
