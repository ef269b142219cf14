-- WayPoints for all, for a team and for one player.
local base = import "base"

-- read returns what a client reads of a WayPoint, or nil while it does not have it.
local function read(player, point) return player:lua("local point = ... return point and point.text .. point.team", point) end

test("a WayPoint is in the scope of those whom it is for", function()
  base.setTeams { "Red", "Blue" }
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  base.setTeam(ann.client, 1)
  base.setTeam(bob.client, 2)
  local far = vec(9000, 0, 0)
  local all, red, own = base.waypoint(far, "all"), base.waypoint(far, "red", 1), base.waypoint(far, "own", bob.client)
  waitFor(function() return read(ann, all) == "all0" and read(ann, red) == "red1" end)
  waitFor(function() return read(bob, all) == "all0" and read(bob, own) == "own2" end)
  equal({ read(ann, own) or "none", read(bob, red) or "none" }, { "none", "none" })
  base.setTeam(bob.client, 1)
  waitFor(function() return read(bob, red) == "red1" end)
  own.text = "there"
  waitFor(function() return read(bob, own) == "there2" end)
  red:delete()
  waitFor(function() return read(ann, red) == nil end)
  base.setTeams {}
end)

test("a WayPoint for nobody is refused", function()
  fails(function() base.waypoint(vec(), "x", 3) end, "there is no team 3")
  fails(function() base.waypoint(vec(), "x", "Ann") end, "a WayPoint is for a client, a team or all, not for Ann")
end)
