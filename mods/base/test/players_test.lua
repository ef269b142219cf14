test("players lists who is in the game, with bots", function()
  equal(players(), {})
  local ann = client { name = "Ann" }
  local bot = addBot "Bot"
  waitFor(function() return #players() == 2 end)
  equal(players(), { ann.client, bot })
  equal({ players "people", players "bots" }, { { ann.client }, { bot } })
  fails(function() players(tostring "humans") end, 'argument 1 (kind) must be "people" or "bots", not "humans"')
  equal(player "Bot", bot)
  ann.client:resetGhosting()
  equal(players(), { bot }, "Ann joins again")
  equal({ player "Ann" }, { nil, 'no player has the name "Ann"', "none" })
  bot:disconnect()
  ticks(2)
end)

test("player prefers the exact name, then another case, then the only name that begins so", function()
  local ann, anna, bob = client { name = "Ann" }.client, client { name = "annabel" }.client, client { name = "Bob" }.client
  bob.name = "ann"
  equal({ player "Ann", player "ann", player "ANNABEL", player "annab" }, { ann, bob, anna, anna })
  equal({ player "an" }, { nil, 'ambiguous player name "an": Ann and annabel', "several" })
  equal({ player "ANN" }, { nil, 'ambiguous player name "ANN": Ann and ann', "several" })
  equal({ player "" }, { nil, 'no player has the name ""', "none" })
  equal({ player "nn" }, { nil, 'no player has the name "nn"', "none" })
end)
