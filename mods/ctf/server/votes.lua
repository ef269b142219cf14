-- Votes: /vote map NAME and /vote kick NAME start a vote, /yes and /no answer it. It passes if more
-- than half of the people agree within half a minute. Bots cannot vote.

local match = require "server.match"
local base = import "base"

local SECONDS = 30

-- The kinds of votes. find resolves a name: it returns the value and its display name, or nil and
-- the reason. carry executes the result.
local kinds = {
  map = {
    text = "%1 asks for the map %2. /yes or /no",
    find = function(name)
      for _, mission in ipairs(match.missions()) do
        if mission == name then return name, name end
      end
      return nil, "The maps are: " .. table.concat(match.missions(), ", ") .. "."
    end,
    carry = function(name) loadMission(name) end,
  },
  kick = {
    text = "%1 asks to kick %2. /yes or /no",
    find = function(name)
      for client in clientGroup:each() do
        if client.name == name then return client, client.name end
      end
      return nil, "No player has the name " .. name .. "."
    end,
    carry = function(client)
      if isObject(client) then client:disconnect("kicked by vote") end
    end,
  },
}

local votes = {} -- votes.running: {kind, what, ends, voices = {[client id] = boolean}}, or nil

-- mayVote reports whether a client can vote: not bots, and not clients that are still joining.
local function mayVote(client) return not client.isBot and client.phase == "game" end

local function voters()
  local n = 0
  for client in clientGroup:each() do
    if mayVote(client) then n = n + 1 end
  end
  return n
end

local function count()
  local yes, no = 0, 0
  for _, voice in pairs(votes.running.voices) do
    if voice then yes = yes + 1 else no = no + 1 end
  end
  return yes, no
end

-- settle ends the vote if the result is certain or the time is up.
local function settle()
  local yes, no = count()
  local all = voters()
  if yes * 2 > all then
    local vote = votes.running
    votes.running = nil
    base.messageAll("MsgVote", "The vote has passed, %1 to %2.", yes, no)
    kinds[vote.kind].carry(vote.what)
  elseif no * 2 >= all or now() >= votes.running.ends then
    votes.running = nil
    base.messageAll("MsgVote", "The vote has failed, %1 to %2.", yes, no)
  end
end

local function cast(client, voice)
  if not votes.running then return "There is no vote." end
  if not mayVote(client) then return "Only who plays has a say." end
  votes.running.voices[client.id] = voice
  settle()
end

local function begin(client, kind, name)
  if votes.running then return "Another vote is running." end
  if not mayVote(client) then return "Only who plays has a say." end
  if not kinds[kind] then return "You can vote for: map NAME, kick NAME." end
  local what, called = kinds[kind].find(name)
  if not what then return called end
  votes.running = { kind = kind, what = what, ends = now() + SECONDS * 1000, voices = {} }
  base.messageAll("MsgVote", kinds[kind].text, client.name, called)
  return cast(client, true)
end

-- For clients with a menu: commandToServer("StartVote", "map", "ridge"), ("CastVote", true).
allowCommand("StartVote", { args = { "string", "string" }, rate = 0.2, burst = 2 })
allowCommand("CastVote", { args = { "bool" }, rate = 2, burst = 4 })

local function answer(client, text)
  if text then base.messageClient(client, "MsgVote", "%1", text) end
end

function serverCmd.StartVote(client, kind, name) answer(client, begin(client, kind, name)) end
function serverCmd.CastVote(client, voice) answer(client, cast(client, voice)) end

local function command(name, params, description, run)
  addCommand {
    name = name, params = params, description = description, chat = true,
    run = function(client, ...)
      if not client then return "players do this, as /" .. name end
      return run(client, ...)
    end,
  }
end

command("vote", "map|kick NAME", "asks everybody for a map, or to kick a player", function(client, kind, ...)
  return begin(client, kind, table.concat({ ... }, " "))
end)
command("yes", "", "agrees to the vote that runs", function(client) return cast(client, true) end)
command("no", "", "disagrees with the vote that runs", function(client) return cast(client, false) end)

-- votes.left removes the vote of a client that has left.
function votes.left(client)
  if votes.running then votes.running.voices[client.id] = nil end
end

-- votes.stop cancels the current vote at the end of a mission.
function votes.stop() votes.running = nil end

function votes.tick()
  if votes.running and now() >= votes.running.ends then settle() end
end

-- votes.resume takes over the current vote after a reload.
function votes.resume(old) votes.running = old.running end

return votes
