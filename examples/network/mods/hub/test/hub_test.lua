-- What the hub orders. The tests stand in for the other servers.

local sent = {}

-- away notes who is sent where. answer is the result of each transfer.
local function away(answer)
  sent = {}
  hub.transfer = function(c, server, data, done)
    sent[#sent + 1] = { c.name, server, data and data.round }
    if answer then schedule(100, function() done(false, answer) end) end
    return true
  end
end

local function arena(free, state) return { name = "arena", mission = "arena", state = state or "ready", free = free } end

test("a player who walks into a portal goes to its server", function()
  away()
  loadMission "lobby" -- it has the portals
  wait(200)
  local ann = client { name = "Ann", halves = false }
  ann.client.controlObject.position = vec(8, 20, 0.5)
  waitFor(function() return #sent > 0 end)
  wait(500)
  equal(sent, { { "Ann", "valley" } }, "once")
end)

test("a player who is refused reads why", function()
  away "server is full"
  local ann = client { name = "Ann", halves = false }
  hub.send(ann.client, "valley")
  waitFor(function()
    for _, line in ipairs(ann:lines()) do
      if line == "You stay here: server is full." then return true end
    end
  end)
end)

test("the queue sends its players together, with the number of the round", function()
  away()
  local ann = client { name = "Ann", halves = false }
  local ben = client { name = "Ben", halves = false }
  local eve = client { name = "Eve", halves = false }
  ann:say "/queue"
  eve:say "/queue"
  wait(200)
  eve:say "/queue" -- she does not wait any more
  wait(200)
  hub.match { arena(32) }
  equal(sent, {}, "one player is no round")
  ben:say "/queue"
  wait(200)
  hub.match { arena(1) }
  hub.match { arena(32, "draining") }
  hub.match { arena(32, "unknown") }
  equal(sent, {}, "there is no room")
  hub.match { { mission = "arena", state = "ready", free = 99 }, arena(2), { name = "valley", mission = "valley", state = "ready", free = 99 } }
  equal(sent, { { "Ann", "arena", 1 }, { "Ben", "arena", 1 } })
  equal(#hub.queue, 0)
end)

test("a player who leaves does not wait", function()
  away()
  local ann = client { name = "Ann", halves = false }
  ann:say "/queue"
  wait(200)
  equal(#hub.queue, 1)
  ann:leave()
  waitFor(function() return #hub.queue == 0 end)
end)

test("nobody fights in the hub", function()
  local ann = client { name = "Ann", halves = false }
  local body = ann.client.controlObject
  body:damage(body, vec(0, 0, 0), 50, "test")
  ticks(2)
  equal(body.damageLevel, 0)
end)
