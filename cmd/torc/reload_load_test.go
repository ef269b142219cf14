package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
)

// bookkeeping is appended to the first file of the copied ctf. It records each change of the game
// state. A new version refuses to load if the state differs from the record of its predecessor.
const bookkeeping = `
noted = ""
local function tally()
  local list = { match.phase, match.mission, match.ends, teams.points[1], teams.points[2] }
  for client in clientGroup:each() do
    local own = client.own
    list[#list + 1] = own.score and ("%%s %%d %%d %%d %%d"):format(client.name, teams.of(client) or 0, own.score, own.did.kill, own.did.capture) or nil
  end
  return table.concat(list, ", ")
end
for name, module in pairs { add = score, clear = score, join = teams, begin = match, point = match, tick = match, stop = match } do
  local change = module[name]
  module[name] = function(...)
    change(...)
    noted = tally()
  end
end
local resume = onReload
function onReload(old)
  resume(old)
  if tally() ~= old.noted then error("there was " .. old.noted .. "; now there is " .. tally()) end
  noted = old.noted
end
export("book", function() return noted end)
export("edition", function() return %d end)
export("award", function()
  local worth = 0
  for client in clientGroup:each() do
    worth = worth %% 5 + 1
    for _ = 1, worth do score.add(client, "kill") end
  end
  for _ = 1, 3 do match.point(2) end
  return "awarded"
end)
`

// blocksHeard makes a client report changed datablocks.
const blocksHeard = `function GameConnection.onDataBlockObjectReceived(server, index, total)
  if server.phase == "game" then echo("block " .. index .. " of " .. total) end
end`

// editions is a folder with a copy of ctf that changes while it runs.
type editions struct {
	t   *testing.T
	dir string
}

// newEditions makes the copy. few leaves one file of its tests.
func newEditions(t *testing.T, few bool) *editions {
	e := &editions{t, filepath.Join(t.TempDir(), "ctf")}
	from, err := fs.Sub(mods.FS(), "ctf")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(e.dir, from))
	if few {
		tests, err := filepath.Glob(filepath.Join(e.dir, "test", "*_test.lua"))
		require.NoError(t, err)
		for _, test := range tests {
			if filepath.Base(test) != "turns_test.lua" {
				require.NoError(t, os.Remove(test))
			}
		}
	}
	return e
}

// publish writes the next version with a changed datablock. lua and test are its additions.
func (e *editions) publish(n int, lua, test string) {
	e.put("mod.toml", func(text string) string { return strings.Replace(text, "1.0.0", fmt.Sprint("1.0.", n), 1) })
	e.put("shared/weapons.lua", func(text string) string {
		return strings.Replace(text, "radiusDamage = 45", fmt.Sprint("radiusDamage = ", damage(n)), 1)
	})
	e.put("server/init.lua", func(text string) string { return text + fmt.Sprintf(bookkeeping, n) })
	e.put("server/obituary.lua", func(text string) string { return lua + text })
	require.NoError(e.t, os.WriteFile(filepath.Join(e.dir, "test", "edition_test.lua"), []byte(test), 0o600))
}

func damage(n int) int { return 46 + n%20 }

// put rewrites a file from its original text.
func (e *editions) put(name string, change func(string) string) {
	text, err := fs.ReadFile(mods.FS(), "ctf/"+name)
	require.NoError(e.t, err)
	require.NoError(e.t, os.WriteFile(filepath.Join(e.dir, filepath.FromSlash(name)), []byte(change(string(text))), 0o600))
}

// reloaded makes a server reload ctf and returns its report.
func (p *process) reloaded() string {
	p.t.Helper()
	p.say("mod reload ctf")
	for {
		if line := p.line(); strings.HasPrefix(line, "ctf 1.0.") || strings.HasPrefix(line, "error: ") {
			return line
		}
	}
}

// ask evaluates Lua on one side and returns the answer.
func (p *process) ask(lua string) string {
	p.t.Helper()
	p.say(`echo("answer " .. tostring(` + lua + `))`)
	return strings.TrimPrefix(p.expect("answer "), "answer ")
}

// metric returns one metric of a server.
func (p *process) metric(name string) float64 {
	p.t.Helper()
	p.say("metrics")
	value, err := strconv.ParseFloat(strings.TrimPrefix(p.expect(name+" "), name+" "), 64)
	require.NoError(p.t, err)
	return value
}

// TestReloadUnderLoad reloads ctf twelve times while eight clients fight and its files change. One
// version has a syntax error, and one fails a test. Clients stay connected, the match state stays,
// and changed datablocks reach the clients. A version that does not load leaves the previous
// version running. TORC_RELOADS=100 runs 100 reloads with 64 clients and all tests of ctf. No tick
// may be late then, so the machine must be idle.
func TestReloadUnderLoad(t *testing.T) {
	t.Parallel()
	clients, reloads := testenv.Length(3, 8), testenv.Length(3, 12)
	full := os.Getenv("TORC_RELOADS") != ""
	if full {
		clients, reloads = 64, max(number(t, os.Getenv("TORC_RELOADS")), 4)
	}
	mod := newEditions(t, !full)
	mod.publish(0, "", "")
	server, address, key := serveIn(t, "", "--mods", filepath.Dir(mod.dir), "--mod", "ctf", "--strict", "--seed", "1",
		"--max-clients", strconv.Itoa(clients), "--eval", "ctf.warmup = 0", "--eval", "ctf.scoreLimit = 100")
	swarm := child(t, "swarm", address+"#"+key, "--count", strconv.Itoa(clients), "--bot", "wander", "--seed", "1", "--eval", blocksHeard)
	swarm.expect(fmt.Sprintf("connected %d of %[1]d", clients))
	require.Equal(t, "running", server.ask(`import("ctf").match().phase`))
	require.Equal(t, "awarded", server.ask(`import("ctf").award()`))
	require.Contains(t, server.ask(`import("ctf").book()`), "running, valley, ")

	lateBefore := server.metric("torc_ticks_late_total")
	edition := 0
	for n := 1; n <= reloads; n++ {
		before := server.ask(`import("ctf").book()`)
		switch n {
		case reloads / 3:
			mod.publish(n, "local = 1\n", "")
			assert.Regexp(t, `^error: ctf is not reloaded: .*/ctf/server/obituary\.lua:1: .*$`, server.reloaded())
		case 2 * reloads / 3:
			mod.publish(n, "", "test('never', function() equal(1, 2) end)")
			assert.Equal(t, `error: ctf is not reloaded: its test "never" fails: `+mod.dir+`/test/edition_test.lua:1: got 1, want 2`, server.reloaded())
		default:
			mod.publish(n, "", "test('ever', function() equal(1, 1) end)")
			require.Regexp(t, fmt.Sprintf(`^ctf 1\.0\.%d reloaded in \d+ ms, \d+ files changed$`, n), server.reloaded())
			edition = n
			require.Equal(t, "block 1 of 1", swarm.expect("block "))
		}
		require.Equal(t, strconv.Itoa(edition), server.ask(`import("ctf").edition()`))
		require.Equal(t, strconv.Itoa(clients), server.ask(`#clientGroup`))
		require.Equal(t, strconv.Itoa(damage(edition)), swarm.ask(`find("DiscShot").radiusDamage`))
		goesOn(t, before, server.ask(`import("ctf").book()`))
	}
	late, longest := server.metric("torc_ticks_late_total")-lateBefore, server.metric("torc_tick_interval_seconds_max")
	t.Logf("%d clients, %d reloads: %v late ticks, at most %.1f ms from tick to tick since the start", clients, reloads, late, 1000*longest)
	if full {
		assert.Zero(t, late, "late ticks")
	}
	swarm.quits()
	server.quits()
	for line := range strings.Lines(server.err.String()) {
		assert.False(t, strings.Contains(line, "level=ERROR") && !strings.Contains(line, "used up"), line) // except on a slow machine
	}
}

// goesOn compares the records of two moments in a match. Phase, end time, points and teams must be
// equal, and kills must not be lost.
func goesOn(t *testing.T, before, after string) {
	t.Helper()
	was, is := strings.Split(before, ", "), strings.Split(after, ", ")
	require.Len(t, is, len(was))
	require.Equal(t, was[:5], is[:5])
	for i := 5; i < len(was); i++ {
		then, now := strings.Fields(was[i]), strings.Fields(is[i])
		require.Equal(t, then[:2], now[:2])
		require.GreaterOrEqual(t, number(t, now[3]), number(t, then[3]), "kills of %s", now[0])
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}
