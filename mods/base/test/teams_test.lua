-- The functions of teams as other mods call them.
local base = import "base"

test("a game has the teams that it names", function()
  local ann = client { name = "Ann" }
  equal(base.teamNames(), {})
  equal(base.smallestTeam(), nil)
  fails(function() base.setTeam(ann.client, 1) end, "there is no team 1: this game has 0 teams")
  base.setTeams { "Red", "Green", "Blue" }
  equal(base.teamOf(ann.client), nil)
  base.setTeam(ann.client, 3)
  equal(base.teamOf(ann.client), 3)
  equal({ base.teamSize(1), base.teamSize(3), base.smallestTeam() }, { 0, 1, 1 })
  waitFor(function() return table.concat(ann:lines()):find("Ann is now in the Blue team.", 1, true) end)
  base.setTeams { "Red", "Green" }
  equal(base.teamOf(ann.client), nil, "its team is gone")
  fails(function() base.setTeams() end, "setTeams needs a table of names, got nil")
  equal(base.teamNames(), { "Red", "Green" })
  base.setTeams {}
  equal({ base.teamNames(), base.smallestTeam() }, { {} })
end)

test("all mods are told of a change", function()
  local told = {}
  function onTeamChange(client, team, before) told[#told + 1] = { client.name, team or 0, before or 0 } end
  base.setTeams { "Red", "Blue" }
  local ann = client { name = "Ann" }
  base.setTeam(ann.client, 1)
  base.setTeam(ann.client, 2)
  base.setTeam(ann.client, 2)
  base.setTeam(ann.client, nil)
  onTeamChange = nil
  equal(told, { { "Ann", 1, 0 }, { "Ann", 2, 1 }, { "Ann", 0, 2 } })
end)

test("balanceTeams moves the latest members, bots first", function()
  base.setTeams { "Red", "Green", "Blue" }
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  base.setTeam(ann.client, 1)
  base.setTeam(bob.client, 1)
  for i = 1, 3 do
    local bot = addBot("Bot " .. i)
    ticks(3)
    base.setTeam(bot, 1)
  end
  base.balanceTeams()
  equal({ base.teamSize(1), base.teamSize(2), base.teamSize(3) }, { 2, 2, 1 })
  equal({ base.teamOf(ann.client), base.teamOf(bob.client) }, { 1, 1 })
  for c in clientGroup:each() do
    if c.isBot then c:disconnect() end
  end
  ticks(2)
end)
