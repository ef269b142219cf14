test("nobody else sees the text of a muted player", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  wait(200)
  console 'mute Bob 10m "too loud"'
  ann:lines() bob:lines()
  bob:say("hello")
  wait(200)
  ann:say("hi")
  wait(200)
  equal(ann:lines(), { "Ann: hi" })
  equal(bob:lines(), { "You are muted: too loud (for 10m0s).", "Ann: hi" })
  bob:say("/commands")
  wait(200)
  equal(#bob:lines() > 0, true, "commands go on")
  console "unmute Bob"
  bob:say("hello")
  wait(200)
  equal(ann:lines(), { "Bob: hello" })
end)

test("the reason of a muted player who leaves is not shown", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  wait(200)
  console "mute Bob"
  ann:lines()
  bob:leave("you are all bad")
  wait(300)
  equal(ann:lines(), { "Bob has left the game (muted)." })
end)
