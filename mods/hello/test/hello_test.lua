-- A small test file to learn from. Run it with:  torc mod test hello
--
-- Tests run in the Lua state of server/init.lua, on their own server. Time passes there only while
-- a test waits.

test("players are greeted when they join", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  console "hello.greet Ann"
  wait(200)
  equal(ann:lines(), { "Bob joined the game.", "Hello Ann, this is the server." })
  equal(bob:lines(), {})
end)

test("the greeting is a setting", function()
  local ann = client { name = "Ann" }
  console 'hello.greeting = "Good day %1"'
  console "hello.greet"
  wait(200)
  equal(ann:lines(), { "Good day Ann" })
end)

test("a client can ask for the mass of a ball", function()
  local ann = client { name = "Ann" }
  ann:console "hello.ask HeavyBall"
  ann:console "hello.ask Feather"
  wait(200)
  equal(ann:lines(), { "HeavyBall weighs 20 kg.", "There is no datablock Feather." })
end)

test("a client without the mod joins, and gets no unknown commands", function()
  local ann = client { name = "Ann", halves = false }
  equal(ann:lua 'rawget(_G, "HelloGreeting")', nil)
  console "hello.greet"
  wait(200)
  equal(ann:lines(), {})
end)
