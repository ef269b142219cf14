-- last returns the last line that a client has shown.
local function last(who)
  local lines = who:lines()
  return lines[#lines]
end

test("every function shows a text without arguments unchanged", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  local text = "50% of %1, 100%% %"
  for name, show in pairs {
    messageClient = function() messageClient(ann.client, "MsgX", text) end,
    messageAll = function() messageAll("MsgX", text) end,
    messageAllExcept = function() messageAllExcept(bob.client, "MsgX", text) end,
  } do
    show()
    wait(200)
    equal(last(ann), text, name)
  end
  menu(ann.client, "x", text, { text })
  wait(200)
  equal(ann:console "form", text .. "\n1  [" .. text .. "]")
  for line, show in pairs {
    function() hud(ann.client, 1, text) end, function() hudAll(2, text) end,
    [15] = function() centerPrint(ann.client, text) end, [16] = function() bottomPrintAll(text) end,
  } do
    show()
    wait(200)
    equal(ann:hud(line), text, line)
  end
end)

test("a text with arguments keeps each % that no digit from 1 to 9 follows", function()
  local ann = client { name = "Ann" }
  messageClient(ann.client, "MsgX", "%1% of %%1, %2%0 %", 50)
  hud(ann.client, 1, "%1% of %%1, %2%0 %", 50)
  wait(200)
  equal({ last(ann), ann:hud(1) }, { "50% of %1, %0 %", "50% of %1, %0 %" })
end)

test("a message needs a text", function()
  local ann = client { name = "Ann" }
  for _, none in ipairs { false, {}, print } do
    fails(function() messageClient(ann.client, "MsgX", none) end, "must be a string")
  end
  fails(function() messageAll("MsgX") end, "must be a string")
end)
