test("a chat line reaches everybody with its sender's name", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  wait(100)
  ann:lines()
  ann:say("good morning")
  wait(200)
  equal(ann:lines(), { "Ann: good morning" })
  local lines = bob:lines()
  equal(lines[#lines], "Ann: good morning")
end)

test("invisible characters are removed and empty lines are dropped", function()
  local ann = client { name = "Ann" }
  ann:lines()
  ann:say("a\226\128\139b\27[31mc\255")
  ann:say("\226\128\139")
  wait(200)
  equal(ann:lines(), { "Ann: ab[31mc" })
end)

test("mods can change or suppress a chat line", function()
  function onChat(client, text)
    if text == "quiet" then return false end
    return (text:gsub("darn", "****"))
  end
  local ann = client { name = "Ann" }
  ann:lines()
  ann:say("darn it")
  ann:say("quiet")
  wait(200)
  equal(ann:lines(), { "Ann: **** it" })
  onChat = nil
end)

test("chat is rate-limited, and the sender is told", function()
  local ann = client { name = "Ann" }
  ann:lines()
  for i = 1, 10 do ann:say("line " .. i) end
  wait(300)
  local lines = ann:lines()
  equal(#lines, 10)
  equal({ lines[8], lines[9] }, { "Ann: line 8", "You talk too much: the limit is 8 lines in 10 seconds." })
  wait(10000)
  ann:say("again")
  wait(200)
  equal(ann:lines(), { "Ann: again" })
end)

test("the operator can chat", function()
  local ann = client { name = "Ann", halves = false }
  ann:lines()
  console "say to bed"
  wait(200)
  equal(ann:lines(), { "*** Server: to bed" })
end)

test("a line that begins with / is a command, and only its sender sees the answer", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  wait(200)
  ann:lines()
  bob:lines()
  ann:say("/nonsense")
  wait(200)
  equal(#ann:lines(), 1)
  equal(bob:lines(), {})
end)

test("/help lists the commands of players", function()
  local ann = client { name = "Ann" }
  ann:lines()
  ann:say("/help")
  ann:say("/help me")
  ann:say("/helper")
  wait(200)
  local list = "/commands: lists the chat commands"
  equal(ann:lines(), { list, list, "no such command" })
end)
