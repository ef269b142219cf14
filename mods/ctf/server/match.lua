-- The match: a warm-up, then play until the time limit or the score limit, then a pause, then the
-- next mission. Events for all mods: onMatchWarmup(), onMatchStart(), onMatchEnd(winner or nil).

local teams = require "server.teams"
local base = import "base"

local warmup = setting "ctf.warmup" { default = 10, min = 0, max = 600, description = "seconds before a match starts" }
local timeLimit = setting "ctf.timeLimit" { default = 20, min = 1, max = 1440, description = "duration of a match in minutes" }
local scoreLimit = setting "ctf.scoreLimit" { default = 5, min = 1, max = 100, description = "captures needed to win a match" }
local pause = setting "ctf.pause" { default = 12, min = 0, max = 600, description = "seconds between a match and the next mission" }
local missions = setting "ctf.missions" { default = "valley ridge", description = "the missions in order" }

-- phase is "none" (no mission runs), "warmup", "running" or "over". ends is the time at which the
-- phase ends, in ms of now(). begun is true once the first mission has been chosen. kept is the match
-- that a restart of the server has interrupted. continued is true while that match goes on.
local match = { phase = "none", ends = 0, mission = "", begun = false, kept = base.kept "ctf match", continued = false }

local function enter(phase, seconds)
  match.phase, match.ends, match.continued = phase, now() + seconds * 1000, false
end

function match.running() return match.phase == "running" end
function match.scoreLimit() return scoreLimit.value end

-- match.left returns the ms until the phase ends.
function match.left() return math.max(0, match.ends - now()) end

-- match.missions lists the names in the setting ctf.missions.
function match.missions()
  local list = {}
  for name in missions.value:gmatch("%S+") do list[#list + 1] = name end
  return list
end

-- match.next returns the name of the next mission.
function match.next()
  local list = match.missions()
  for i, name in ipairs(list) do
    if name == match.mission then return list[i % #list + 1] end
  end
  return list[1] or match.mission
end

-- match.keep stores the match for the start after a restart.
function match.keep()
  base.keep("ctf match", { phase = match.phase, left = match.left(), mission = match.mission, points = teams.points })
end

-- goOn continues the match that a restart has interrupted.
local function goOn(kept)
  teams.points = kept.points
  match.phase, match.ends = kept.phase, now() + kept.left
  match.kept, match.continued = nil, true
end

function match.begin(mission)
  local kept = match.kept
  match.mission = mission
  if kept and kept.mission == mission then return goOn(kept) end
  teams.points = { 0, 0 }
  enter("warmup", warmup.value)
  broadcast "onMatchWarmup"
end

function match.stop() match.phase = "none" end

local function finish()
  local red, blue = teams.points[1], teams.points[2]
  enter("over", pause.value)
  broadcast("onMatchEnd", red > blue and 1 or blue > red and 2 or nil)
end

-- match.point gives a team a point, and ends the match if the team has reached the score limit.
function match.point(team)
  teams.points[team] = teams.points[team] + 1
  if teams.points[team] >= scoreLimit.value then finish() end
end

function match.tick()
  if now() < match.ends then return false end
  if match.phase == "warmup" then
    enter("running", timeLimit.value * 60)
    broadcast "onMatchStart"
  elseif match.phase == "running" then
    finish()
  elseif match.phase == "over" then
    match.phase = "none"
    loadMission(match.next())
  end
  return true
end

-- For other mods, for example import("ctf").match().points[1].
export("match", function()
  return { phase = match.phase, left = match.left(), mission = match.mission, points = teams.points }
end)

-- After a restart, the mission of the interrupted match is loaded. Otherwise, without --mission, the
-- first mission of the list is loaded.
local first = schedule(0, function()
  match.begun = true
  if match.kept and pcall(loadMission, match.kept.mission) then return end
  match.kept = nil
  if match.phase == "none" then loadMission(match.missions()[1]) end
end)

-- match.resume takes over the match after a reload.
function match.resume(old)
  match.begun = old.begun
  if old.begun then cancel(first) end
  match.phase, match.ends, match.mission = old.phase, old.ends, old.mission
  match.kept, match.continued = old.kept, old.continued
end

return match
