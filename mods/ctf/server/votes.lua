-- Votes: /vote map NAME and /vote kick NAME start a vote, /yes and /no answer it. /vote alone shows a
-- form for both. A vote passes if more
-- than half of the people agree within half a minute. Bots cannot vote. A key has one vote, and all
-- votes from one network address count as at most two.

local match = require "server.match"
local base = import "base"

local SECONDS = 30
local SHARE = 2 -- votes of one network address
local CHOICES = 255 -- of a row in a form

-- The kinds of votes. find resolves a name: it returns the value and its display name, or nil and
-- the reason. carry executes the result.
local kinds = {
  map = {
    text = "vote_map",
    find = function(name)
      for _, mission in ipairs(match.missions()) do
        if mission == name then return name, name end
      end
      return nil, text("maps", table.concat(match.missions(), ", "))
    end,
    carry = function(name) loadMission(name) end,
  },
  kick = {
    text = "vote_kick",
    find = function(name)
      for client in clientGroup:each() do
        if client.name == name then return client, client.name end
      end
      return nil, text("no_player", name)
    end,
    carry = function(client)
      if isObject(client) then client:disconnect(text "kicked") end
    end,
  },
}

local votes = {} -- votes.running: {kind, what, ends, voices = {[client key] = boolean}}, or nil

-- mayVote reports whether a client can vote: not bots, and not clients that are still joining.
local function mayVote(client) return not client.isBot and client.phase == "game" end

-- votes.network returns the address that a client shares with others.
function votes.network(client) return base.network(client) end

-- tally counts the votes: yes, no, and all that there can be. A network address has at most SHARE of
-- each, and of all its votes together.
local function tally()
  local seen, networks = {}, {}
  for client in clientGroup:each() do
    if mayVote(client) and not seen[client.key] then
      seen[client.key] = true
      local name = votes.network(client)
      local n = networks[name] or { yes = 0, no = 0, all = 0 }
      networks[name] = n
      local voice = votes.running.voices[client.key]
      n.all = n.all + 1
      if voice == true then n.yes = n.yes + 1 elseif voice == false then n.no = n.no + 1 end
    end
  end
  local yes, no, all = 0, 0, 0
  for _, n in pairs(networks) do
    local counted = math.min(n.yes, SHARE)
    yes, no, all = yes + counted, no + math.min(n.no, SHARE - counted), all + math.min(n.all, SHARE)
  end
  return yes, no, all
end

-- over ends the vote, and closes the form that asks about it.
local function over()
  votes.running = nil
  for client in clientGroup:each() do client:closeForm "question" end
end

-- settle ends the vote if the result is certain or the time is up.
local function settle()
  local yes, no, all = tally()
  if yes * 2 > all then
    local vote = votes.running
    over()
    base.messageAll("MsgVoteEnd", text("vote_passed", yes, no))
    kinds[vote.kind].carry(vote.what)
  elseif no * 2 >= all or now() >= votes.running.ends then
    over()
    base.messageAll("MsgVoteEnd", text("vote_failed", yes, no))
  end
end

local function cast(client, voice)
  if not votes.running then return text "no_vote" end
  if not mayVote(client) then return text "no_say" end
  votes.running.voices[client.key] = voice
  settle()
end

local function begin(client, kind, name)
  if votes.running then return text "vote_runs" end
  if not mayVote(client) then return text "no_say" end
  if not kinds[kind] then return text "vote_kinds" end
  local what, called = kinds[kind].find(name)
  if not what then return called end
  local question = text(kinds[kind].text, client.name, called)
  votes.running = { kind = kind, what = what, ends = now() + SECONDS * 1000, voices = {}, question = question }
  base.messageAll("MsgVote", question)
  return cast(client, true)
end

-- For clients with a menu: commandToServer("StartVote", "map", "ridge"), ("CastVote", true).
allowCommand("StartVote", { args = { "string", "string" }, rate = 0.2, burst = 2 })
allowCommand("CastVote", { args = { "bool" }, rate = 2, burst = 4 })

local function answer(client, line)
  if line then base.messageClient(client, "MsgVoteAnswer", line) end
end


-- wish starts a vote with a name that all players read, so it counts as a line.
local function wish(client, kind, name)
  name = name and base.chatLine(client, name)
  if name then answer(client, begin(client, kind, name)) end
end

function serverCmd.StartVote(client, kind, name) wish(client, kind, name) end
function serverCmd.CastVote(client, voice) answer(client, cast(client, voice)) end

-- askFor shows a form to start a vote. The answer names what the list had when it was shown.
local function askFor(client)
  local maps, names = match.missions(), {}
  if #maps == 0 then maps[1] = match.mission end
  while #maps > CHOICES do table.remove(maps) end
  for other in clientGroup:each() do
    if not other.isBot and #names < CHOICES then names[#names + 1] = other.name end
  end
  client:form {
    name = "vote", title = text "vote_title",
    rows = {
      { kind = "choice", name = "map", text = text "vote_map_choice", choices = maps, value = 1 },
      { kind = "button", name = "ask_map", text = text "vote_map_ask" },
      { kind = "choice", name = "player", text = text "vote_player_choice", choices = names },
      { kind = "button", name = "ask_kick", text = text "vote_player_ask" },
    },
    done = function(c, values)
      if not values then return end
      if values.button == "ask_map" then wish(c, "map", maps[values.map]) else wish(c, "kick", names[values.player]) end
    end,
  }
end

-- askAbout shows the vote that runs, with both answers. The end of the vote closes the form.
local function askAbout(client)
  local vote = votes.running
  client:closeForm "vote"
  client:form {
    name = "question", title = text "vote_title",
    rows = {
      { kind = "text", text = vote.question },
      { kind = "button", name = "yes", text = text "vote_yes" }, { kind = "button", name = "no", text = text "vote_no" },
    },
    done = function(c, values)
      if values then answer(c, cast(c, values.button == "yes")) end
    end,
  }
end

-- votes.ask shows a player the form for votes.
function votes.ask(client)
  if not mayVote(client) then return text "no_say" end
  if votes.running then askAbout(client) else askFor(client) end
end

local function command(name, params, description, run)
  addCommand {
    name = name, params = params, description = description, chat = true,
    run = function(client, ...)
      if not client then return "players do this, as /" .. name end
      return run(client, ...)
    end,
  }
end

command("vote", "[map|kick NAME]", text "help_vote", function(client, kind, ...)
  if not kind then return votes.ask(client) end
  return begin(client, kind, table.concat({ ... }, " "))
end)
command("yes", "", text "help_yes", function(client) return cast(client, true) end)
command("no", "", text "help_no", function(client) return cast(client, false) end)

-- votes.left removes the vote of a client that has left.
function votes.left(client)
  if votes.running then votes.running.voices[client.key] = nil end
end

-- votes.stop cancels the current vote at the end of a mission.
function votes.stop() over() end

function votes.tick()
  if votes.running and now() >= votes.running.ends then settle() end
end

-- votes.resume takes over the current vote after a reload.
function votes.resume(old) votes.running = old.running end

return votes
