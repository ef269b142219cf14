local game = require "test.game"
local teams = require "server.teams"
local players = require "server.players"

test("new players join the smaller team", function()
  local list = {}
  for i = 1, 4 do list[i] = client { name = "P" .. i } end
  equal({ teams.size(1), teams.size(2) }, { 2, 2 })
  for _, c in ipairs(list) do equal(players.body(c.client).team, teams.of(c.client)) end
end)

test("a team that is too large gives players to the other, bots first", function()
  local ann = client { name = "Ann" }
  teams.join(ann.client, 1)
  for i = 1, 3 do
    local bot = addBot("Bot " .. i)
    ticks(3)
    teams.join(bot, 1)
  end
  teams.balance()
  equal({ teams.size(1), teams.size(2) }, { 2, 2 })
  equal(teams.of(ann.client), 1, "a person stays")
  for c in clientGroup:each() do
    if c.isBot then c:disconnect() end
  end
  ticks(2)
end)

test("/switch changes the team if there is room", function()
  local ann, bob = game.player("Ann", 1), game.player("Bob", 2)
  ann:say("/switch")
  wait(200)
  equal(teams.of(ann.client), 1, "the other team would be the larger one")
  game.said(ann, "The other team has no room.")
  bob:leave()
  waitFor(function() return teams.size(2) == 0 end)
  ann:say("/switch")
  waitFor(function() return teams.of(ann.client) == 2 end)
  equal(game.body(ann).team, 2)
end)

test("/team reaches only the own team", function()
  local ann, bob, eve = game.player("Ann", 1), game.player("Bob", 1), game.player("Eve", 2)
  wait(100)
  eve:lines()
  ann:say("/team to the left")
  wait(200)
  game.said(ann, "(Red) Ann: to the left")
  game.said(bob, "(Red) Ann: to the left")
  equal(eve:lines(), {})
end)

test("the form of teams moves a player to the team with room", function()
  local ann = game.player("Ann", 1)
  local function choose(n)
    ann:lines()
    ann:command("Key", "team")
    wait(200)
    ann:console("form " .. n)
    wait(200)
  end
  choose(1)
  game.said(ann, "You are in this team.")
  choose(2)
  equal(teams.of(ann.client), 2)
  equal(game.body(ann).team, 2)
  game.player("Bob", 1)
  choose(1)
  game.said(ann, "The other team has no room.")
end)

test("the form of teams has the emblem of each, with a text for terminals", function()
  local ann, bob = game.player("Ann", 1), client { name = "Bob", language = "de" }
  for _, c in ipairs { ann, bob } do
    c:command("Key", "team")
  end
  wait(200)
  equal(ann:console "form", "Choose a team\nRed shield with a triangle\n1  [Red]\nBlue shield with a square\n2  [Blue]")
  truthy(bob:console "form":find("Roter Schild mit einem Dreieck", 1, true))
end)
