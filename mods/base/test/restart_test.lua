local restart = require "server.restart"
local base = import "base"

test("the next start has the kept values, each once", function()
  base.keep("race Ann", { laps = 3, at = vec(1, 2, 3) })
  equal(base.kept "race Ann", nil, "before the server has ended")
  restart.take()
  equal(base.kept "race Ann", { laps = 3, at = vec(1, 2, 3) })
  equal(base.kept "race Ann", nil)
  restart.take()
  equal(base.kept "race Ann", nil, "in the start after that")
end)

test("two minutes after the start, nothing is kept", function()
  base.keep("race Ann", 3)
  restart.take()
  restart.ends = now() + 64
  ticks(3)
  equal(base.kept "race Ann", nil)
end)
