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

test("control characters are removed, and lines without a visible character are dropped", function()
  local ann = client { name = "Ann" }
  ann:lines()
  ann:say("a\226\128\174b\27[31mc\255\226\128\168d")
  ann:say("\226\128\139\226\128\141")
  wait(200)
  equal(ann:lines(), { "Ann: ab[31mcd" })
end)

-- A Persian word with a joiner, and an emoji of two parts with a variation selector.
local WORD = "\217\133\219\140\226\128\140\216\174 \226\157\164\239\184\143\226\128\141\240\159\148\165"

test("the invisible characters of words and emoji are shown everywhere", function()
  local ann, bob = client { name = WORD }, client { name = "Bob" }
  wait(200)
  equal(ann.client.name, WORD)
  bob:lines()
  ann:say(WORD)
  wait(200)
  menu(bob.client, "m", WORD, { WORD })
  hud(bob.client, 1, WORD)
  bottomPrint(bob.client, "%1", 5, WORD)
  wait(200)
  ann.client:disconnect(WORD)
  wait(200)
  local apart = "\226\129\168" .. WORD .. "\226\129\169" -- in English, a name in Persian stands in an isolate
  equal(bob:console "form", WORD .. "\n1  [" .. WORD .. "]")
  equal(bob:lines(), { WORD .. ": " .. WORD, apart .. " has left the game (" .. apart .. ")." })
  equal({ bob:hud(1), bob:hud(16) }, { WORD, WORD })
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
