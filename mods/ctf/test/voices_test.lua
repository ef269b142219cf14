test("the V menu speaks to the team, and to all, in the language of each player", function()
  local ann, bob = client { name = "Ann", language = "de" }, client { name = "Bob" }
  wait(1000)
  ann:lines() bob:lines()
  equal(ann:console "v r", "RY  Ja.\nRN  Nein.\nRW  Warte!")
  ann:console "v aa"
  wait(300)
  local own = ann:lines()
  equal(own[#own]:match "^%(.-%) Ann: (.*)$", "Angriff!")
  for _, line in ipairs(bob:lines()) do equal(line:match "Ann: ", nil, "it is for the team") end
  ann:console "v gh"
  wait(300)
  equal(bob:lines(), { "Ann: Hello!" })
end)
