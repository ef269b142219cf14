package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/vm"
)

func TestMain(m *testing.M) {
	testenv.InMemory()
	os.Exit(m.Run())
}

// diary is a mod that depends on everything that a mod can depend on.
const diary = `
local seen = 0
local limit = setting "diary.limit" { default = 0, description = "faults from here on" }
function onTick()
  seen = seen + 1
  if seen % 16 == 0 then
    local n = (store:get("n") or 0) + math.random(1, 9)
    store:put("n", n, function() echo("stored " .. n .. " at " .. os.time()) end)
  end
  if seen % 50 == 0 then http.get("http://example.org/" .. seen, function(r) echo("http " .. tostring(r.status)) end) end
  if limit.value > 0 and seen % limit.value == 0 then error("seen " .. seen) end
end
function GameConnection.onClientEnterGame(c)
  if c.language ~= "en" then store:put("language " .. c.language, textFor(c, c.language), function() echo(c.language) end) end
end
function onShutdown()
  for c in clientGroup:each() do commandToClient(c, "Bye", math.random()) end
end
`

// modFolder makes a folder with the mod diary.
func modFolder(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "diary", "server"), 0o700))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "diary", name), []byte(text), 0o600))
	}
	write("mod.toml", "name = \"diary\"\nversion = \"1.0.0\"\ndepends = [\"base\"]\npermissions = [\"net:example.org:80\"]\n")
	write("server/init.lua", source)
	return dir
}

// web is a network for mods that answers each request after some calls.
type web struct {
	sockets.Network
	waiting []sockets.ID
	calls   int
}

func (w *web) HTTP(id sockets.ID, _ sockets.HTTPRequest) { w.waiting = append(w.waiting, id) }

func (w *web) Events() (events []sockets.Event) {
	if w.calls++; w.calls%7 == 0 {
		for _, id := range w.waiting {
			events = append(events, sockets.Event{Kind: sockets.Responded, ID: id, Status: 200 + w.calls%100, Data: []byte("hello")})
		}
		w.waiting = nil
	}
	return events
}

// story is a match with a journal in which everything happens that an operator and players can do.
type story struct {
	*nodetest.Virtual
	t       *testing.T
	journal bytes.Buffer
	mods    string
}

func newStory(t *testing.T, change ...func(*node.Config)) *story {
	t.Helper()
	s := &story{t: t, mods: modFolder(t, diary)}
	seed, tried := uint64(7), 0
	cfg := node.Config{
		Common: node.Common{Seed: &seed, Name: "recorded", Strict: true, Data: t.TempDir(), Mods: []fs.FS{os.DirFS(s.mods)}, Files: os.DirFS(s.mods), Vars: []node.Var{{Name: "sv.bots", Value: "1"}, {Name: "ctf.warmup", Value: "1"}}, Scripts: []node.Script{{Name: "start.cfg", Code: "sv.motd hello\n= 1 + 1"}}, Commands: []console.Command{{Name: "program", Run: func(args []string) (string, error) {
			if err := s.Server.Console().Set("sv.name", "from the program"); err != nil {
				return "", err
			}
			return strings.Join(args, "+"), nil
		}}}},
		Server: node.ServerConfig{Load: []string{"ctf", "diary"}, Journal: &node.Journal{Writer: &s.journal}, Trial: func(context.Context, []fs.FS, string, bool) (*vm.Protos, error) {
			if tried++; tried == 2 {
				return nil, errors.New("a test failed")
			}
			return nil, nil
		}},
	}
	cfg.Scripts = cfg.Scripts[1:]
	for _, c := range change {
		c(&cfg)
	}
	s.Virtual = nodetest.NewVirtual(t, cfg, 0, func(e *node.Edge) { e.Network = &web{} })
	s.Change = func(i int, c *node.ClientConfig) { c.Language = []string{"", "pl_PL.UTF-8", "ar"}[i%3] }
	for i := range 3 {
		s.AddClient(t, i, cfg)
	}
	return s
}

// withoutGame has the mods base and diary only, for tests that need no match.
func withoutGame(c *node.Config) { c.Server.Load, c.Vars = []string{"diary"}, nil }

// line runs a line of the operator.
func (s *story) line(line string) {
	s.t.Helper()
	_, err := s.Server.Console().Exec(line)
	require.NoError(s.t, err, line)
}

// say runs a line of a player.
func (s *story) say(i int, line string) {
	s.t.Helper()
	_, err := s.Clients[i].Console().Exec(line)
	require.NoError(s.t, err, line)
}

// play plays the whole story, and returns the journal.
func (s *story) play() []byte {
	pause := testenv.Length(time.Second, 5*time.Second)
	s.Run(s.t, 2*time.Second)
	for _, c := range s.Clients {
		require.True(s.t, c.Ready())
	}
	s.line("program a b")
	s.line("mod.grant diary net:example.org:80")
	s.say(0, `commandToServer("MessageSent", "hello all")`)
	s.line("role.give A admin")
	s.say(0, `commandToServer("MessageSent", "/players")`)
	s.Run(s.t, 2*pause)
	require.NoError(s.t, os.WriteFile(filepath.Join(s.mods, "diary", "server", "init.lua"), []byte(diary+"\nlocal more = 1"), 0o600))
	s.line("mod.reload diary")
	s.Run(s.t, time.Second)
	_, _ = s.Server.Console().Exec("mod.reload diary") // its trial fails
	s.line("mission ridge")
	s.Run(s.t, pause)
	require.NoError(s.t, s.Server.Settings.SetPassword("secret", ""))
	s.Server.Settings.Expect("other.setting", "4")
	s.Banned[2] = true
	s.line("ban C 1h for a test")
	s.Run(s.t, pause)
	s.line("diary.limit 20")
	s.Run(s.t, 2*time.Second)
	_, _, err := s.Server.Console().Feed("if true then")
	require.NoError(s.t, err)
	_, _, err = s.Server.Console().Feed("diaryDone = math.random() end")
	require.NoError(s.t, err)
	s.Server.Quit("the end")
	return s.ends(io.EOF)
}

// ends runs a server that was told to end until Step returns why. It returns the journal.
func (s *story) ends(why error) []byte {
	s.t.Helper()
	var err error
	for end := s.Now + 3*time.Second; err == nil && s.Now < end; s.Now += time.Millisecond {
		err = s.Server.Step()
	}
	require.ErrorIs(s.t, err, why)
	require.NoError(s.t, s.Server.Close())
	return s.journal.Bytes()
}

// replays plays the journal again: up to the same tick, and without a difference.
func (s *story) replays(text []byte) *replay.Replay {
	s.t.Helper()
	r, err := runAgain(s.t, text, replay.Config{})
	assert.ErrorIs(s.t, err, io.EOF)
	assert.Empty(s.t, r.Difference())
	assert.Equal(s.t, s.Server.Host().TickNumber(), r.Tick())
	return r
}

// sharedStory is what tests have of one story.
var sharedStory struct {
	once  sync.Once
	text  []byte
	ticks uint64
}

// storyJournal returns the journal of one story, which all tests of this package share that need no
// more of it: they must not change it. ticks are those of the server.
func storyJournal(t *testing.T) (text []byte, ticks uint64) {
	t.Helper()
	s := &sharedStory
	s.once.Do(func() {
		played := newStory(t)
		s.text, s.ticks = played.play(), played.Server.Host().TickNumber()
	})
	require.NotEmpty(t, s.text, "the story has failed in another test")
	return s.text, s.ticks
}

// runAgain plays a journal to its end.
func runAgain(t *testing.T, b []byte, cfg replay.Config) (*replay.Replay, error) {
	t.Helper()
	r, err := replay.New(bytes.NewReader(b), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	for err == nil {
		err = r.Step()
	}
	return r, err
}

// TestReplayIsTheSame checks that a server runs again from its journal: all packets and all fields
// of all objects.
func TestReplayIsTheSame(t *testing.T) {
	text, ticks := storyJournal(t)
	var said []string
	r, err := runAgain(t, text, replay.Config{Said: func(_, line, _ string, _ error) { said = append(said, line) }})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, ticks, r.Tick())
	assert.Equal(t, "mission ridge", said[slices.Index(said, "mission ridge")])
	require.NotEmpty(t, r.Marks())
	assert.Equal(t, "fault", r.Marks()[0].Kind)
	assert.Equal(t, r.Marks(), r.Faults())
	assert.Equal(t, "from the program secret", r.Host().Admission.Name+" "+r.Host().Admission.Password)
	assert.True(t, r.Whole())
}

// rewrite copies a journal, with the entries that change lets through.
func rewrite(t *testing.T, b []byte, change func(n int, e *journal.Entry) bool) []byte {
	t.Helper()
	return rewriteAll(t, b, func(*journal.Header) {}, change)
}

// rewriteHeader copies a journal with another header.
func rewriteHeader(t *testing.T, b []byte, change func(h *journal.Header)) []byte {
	t.Helper()
	return rewriteAll(t, b, change, func(int, *journal.Entry) bool { return true })
}

func rewriteAll(t *testing.T, b []byte, head func(h *journal.Header), change func(n int, e *journal.Entry) bool) []byte {
	t.Helper()
	r, err := journal.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	head(&r.Header)
	var out bytes.Buffer
	w, err := journal.NewWriter(&out, r.Header)
	require.NoError(t, err)
	for n := 0; ; n++ {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if change(n, &e) {
			require.NoError(t, w.Write(&e))
		}
	}
	require.NoError(t, w.Flush())
	return out.Bytes()
}

// TestEachAnswerIsNeeded checks that a journal of a long story has every kind of entry, and that a
// replay without any one kind differs.
func TestEachAnswerIsNeeded(t *testing.T) {
	b, _ := storyJournal(t)
	count := map[journal.Kind]int{}
	rewrite(t, b, func(_ int, e *journal.Entry) bool { count[e.Kind]++; return false })
	for _, k := range []journal.Kind{
		journal.Exchange, journal.Token, journal.Loaded, journal.Stored, journal.Events, journal.Output, journal.Content, journal.File, journal.Tried,
		journal.Address, journal.Line, journal.Close, journal.Ending, journal.Send, journal.Receive,
	} {
		assert.NotZero(t, count[k], "kind %d", k)
		less := rewrite(t, b, func(_ int, e *journal.Entry) bool { return e.Kind != k })
		r, err := replay.New(bytes.NewReader(less), replay.Config{})
		require.NoError(t, err)
		for err == nil && r.Difference() == "" {
			err = r.Step()
		}
		assert.NotEmpty(t, r.Difference(), "kind %d", k)
		require.NoError(t, r.Close())
	}
	assert.NotZero(t, count[journal.State])
}

// TestLatestTime checks that a clock that jumps to the latest time of a journal, in a call of any
// kind, breaks nothing: no sum of times overflows. After a jump, all kinds have the same calls, so
// one of them plays the rest of the story.
func TestLatestTime(t *testing.T) {
	b, _ := storyJournal(t)
	for _, k := range []journal.Kind{journal.Receive, journal.Send, journal.Tick, journal.Close} {
		count, late := map[journal.Kind]int{}, 0
		jumped := rewrite(t, b, func(_ int, e *journal.Entry) bool {
			if count[e.Kind]++; count[k] >= 20 || k == journal.Close && count[k] > 0 {
				e.Time = journal.MaxTime
				late++
			}
			return k == journal.Tick || late < 200
		})
		r, err := runAgain(t, jumped, replay.Config{})
		assert.Equal(t, io.EOF, err)
		assert.Equal(t, journal.MaxTime, r.Now(), "kind %d", k)
	}
}

// TestOneBitIsFound checks that a replay names the tick from which on another input makes a
// difference.
func TestOneBitIsFound(t *testing.T) {
	b, _ := storyJournal(t)
	tick, changed := uint64(0), false
	other := rewrite(t, b, func(_ int, e *journal.Entry) bool {
		switch {
		case e.Kind == journal.Tick:
			tick++
		case e.Kind == journal.Receive && tick == 100 && !changed:
			changed = true
			e.Data[len(e.Data)-1] ^= 1
		}
		return true
	})
	r, err := runAgain(t, other, replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	var at uint64
	_, err = fmt.Sscanf(r.Difference(), "tick %d:", &at)
	require.NoError(t, err, r.Difference())
	assert.InDelta(t, 100, at, 10, r.Difference())

	changed = false
	other = rewrite(t, b, func(_ int, e *journal.Entry) bool {
		if e.Kind == journal.State && !changed {
			changed = true
			e.Data[len(e.Data)-1] ^= 1 // the hash of the last field of the last object
		}
		return true
	})
	r, err = runAgain(t, other, replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Regexp(t, `^tick 256: object \d+, a \w+: field \w+ is `, r.Difference())
}

// TestCutJournalPlays checks that a journal that is cut anywhere plays up to the cut without a
// difference.
func TestCutJournalPlays(t *testing.T) {
	b, _ := storyJournal(t)
	cuts := testenv.Length(6, 1000)
	random := rand.New(rand.NewPCG(1, 2))
	for range cuts {
		cut := random.IntN(len(b))
		r, err := replay.New(bytes.NewReader(b[:cut]), replay.Config{})
		if err != nil {
			assert.Less(t, cut, 60_000, "%v", err)
			continue
		}
		for err == nil {
			err = r.Step()
		}
		assert.True(t, errors.Is(err, io.EOF) || errors.Is(err, replay.ErrCut), "%v", err)
		assert.Empty(t, r.Difference(), "cut at %d of %d", cut, len(b))
		require.NoError(t, r.Close())
	}
}

// TestACutInACommandIsNoDifference checks that a journal that ends in the middle of a command of
// the program does not blame the server for the rest of the command.
func TestACutInACommandIsNoDifference(t *testing.T) {
	b, _ := storyJournal(t)
	command, output := 0, 0
	rewrite(t, b, func(n int, e *journal.Entry) bool {
		if e.Kind == journal.Line && bytes.Contains(e.Data, []byte("program a b")) {
			command = n
		}
		if e.Kind == journal.Output {
			output = n
		}
		return false
	})
	require.Greater(t, output, command+1, "the command gives something to the console")
	for last := command; last <= output; last++ {
		cut := rewrite(t, b, func(n int, _ *journal.Entry) bool { return n <= last })
		r, err := runAgain(t, cut, replay.Config{})
		assert.ErrorIs(t, err, io.EOF)
		assert.Empty(t, r.Difference(), "cut after entry %d, the command is %d to %d", last, command, output)
	}
}

// heapOfOthers lets mods use memory: their limit counts what parallel tests use meanwhile.
var heapOfOthers = node.Var{Name: "mod.callbackHeap", Value: "1000"}

// TestReplayOfASocket checks a server with a socket, goroutines, a clock and time limits of
// scripts: the journal is enough.
func TestReplayOfASocket(t *testing.T) {
	busy := `
function onTick()
  local n = 0
  for i = 1, 30000 do n = n + math.random() end
end
function onDamageRequest() end
for i = 1, 50 do schedule(100 + 5 * i, function() local n = 0 for i = 1, 3000 do n = n + i end end) end
`
	var b bytes.Buffer
	s := nodetest.StartServer(t, node.Config{
		Common: node.Common{Mods: []fs.FS{os.DirFS(modFolder(t, busy))}, Vars: []node.Var{{Name: "sv.bots", Value: "2"}, {Name: "mod.tickTime", Value: "1ms"}, heapOfOthers}},
		Server: node.ServerConfig{Load: []string{"ctf", "diary"}, Journal: &node.Journal{Writer: &b}},
	})
	ended := nodetest.Runs(s.Run)
	ann := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Ann"}, Client: node.ClientConfig{Address: s.Address(), Wander: true}})
	annEnded := nodetest.Runs(ann.Run)
	nodetest.Eventually(t, ann.Do, "Ann is in the game", ann.Ready)
	nodetest.Eventually(t, s.Do, "there are verdicts of the meter", func() bool {
		_, err := s.Console().Exec("= 1 + 1")
		return err == nil && s.Host().TickNumber() > 12
	})
	require.NoError(t, s.Do(func() { s.Quit("over") }))
	require.NoError(t, <-ended)
	require.NoError(t, <-annEnded)
	require.NoError(t, s.Close())
	verdicts := 0
	rewrite(t, b.Bytes(), func(_ int, e *journal.Entry) bool {
		if e.Kind == journal.Verdict {
			verdicts++
		}
		return false
	})
	assert.NotZero(t, verdicts)
	r, err := runAgain(t, b.Bytes(), replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, s.Host().TickNumber(), r.Tick())
}

// TestReplayOfAReloadWithoutTime checks that a reload that has used up its CPU time ends at the
// same instruction in a replay, which has no CPU clock.
func TestReplayOfAReloadWithoutTime(t *testing.T) {
	folder := modFolder(t, diary)
	var b bytes.Buffer
	s := nodetest.StartServer(t, node.Config{
		Common: node.Common{Mods: []fs.FS{os.DirFS(folder)}, Vars: []node.Var{{Name: "mod.reloadTime", Value: "1ms"}, heapOfOthers}},
		Server: node.ServerConfig{Load: []string{"diary"}, Journal: &node.Journal{Writer: &b}},
	})
	ended := nodetest.Runs(s.Run)
	const loop = "for i = 1, 1e8 do diaryAt = i end"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "diary", "server", "init.lua"), []byte(diary+loop), 0o600))
	var reloaded uint64
	require.NoError(t, s.Do(func() {
		_, err := s.Console().Exec("mod.reload diary")
		assert.ErrorContains(t, err, "the budget of 1ms is used up")
		reloaded = s.Host().TickNumber()
	}))
	nodetest.Eventually(t, s.Do, "the game goes on", func() bool { return s.Host().TickNumber() > reloaded+5 })
	require.NoError(t, s.Do(func() { s.Quit("over") }))
	require.NoError(t, <-ended)
	require.NoError(t, s.Close())
	r, err := runAgain(t, b.Bytes(), replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, s.Host().TickNumber(), r.Tick())
}

// TestAKilledProcessLosesASecond checks that a journal without an end has all but the last second
// of the game.
func TestAKilledProcessLosesASecond(t *testing.T) {
	s := newStory(t, withoutGame)
	s.Run(t, 3*time.Second)
	seen, err := replay.Scan(bytes.NewReader(s.journal.Bytes()))
	require.NoError(t, err)
	assert.False(t, seen.Whole)
	assert.Greater(t, seen.Ticks+40, s.Server.Host().TickNumber())
}

// TestReplayOfAnotherBuild checks that a replay knows whether its program wrote the journal.
func TestReplayOfAnotherBuild(t *testing.T) {
	s := newStory(t, withoutGame, func(c *node.Config) { c.Version = "1.2.3" })
	s.Run(t, 100*time.Millisecond)
	require.NoError(t, s.Server.Close())
	r, err := runAgain(t, s.journal.Bytes(), replay.Config{Version: "1.2.3"})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.OtherBuild())
	r, _ = runAgain(t, s.journal.Bytes(), replay.Config{Version: "1.2.4"})
	assert.Regexp(t, `^torc 1\.2\.3 \((go\S+.*)\) wrote the journal, and this is torc 1\.2\.4 \(go\S+.*\): another build can`, r.OtherBuild())
	other := rewriteHeader(t, s.journal.Bytes(), func(h *journal.Header) { h.Build = "go1 abc" })
	r, _ = runAgain(t, other, replay.Config{Version: "1.2.3"})
	assert.Contains(t, r.OtherBuild(), "torc 1.2.3 (go1 abc) wrote the journal")
}

// TestCrashIsMarked checks that a panic leaves a journal that is kept, with a mark, and with all
// that came before it.
func TestCrashIsMarked(t *testing.T) {
	folder := t.TempDir()
	s := nodetest.StartServer(t, node.Config{
		Server: node.ServerConfig{Journal: &node.Journal{Folder: folder}},
		Common: node.Common{Commands: []console.Command{{Name: "crash", Run: func([]string) (string, error) { panic("as wanted") }}}},
	})
	crashed := make(chan any, 1)
	go func() {
		defer func() { crashed <- recover() }()
		_ = s.Run(context.Background())
	}()
	nodetest.Eventually(t, s.Do, "some ticks have run", func() bool { return s.Host().TickNumber() > 5 })
	go func() { _ = s.Do(func() { _, _ = s.Console().Exec("crash") }) }()
	assert.Equal(t, "as wanted", <-crashed)
	all, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, all[0]+".marked", all[1])
	b, err := os.ReadFile(all[0])
	require.NoError(t, err)
	seen, err := replay.Scan(bytes.NewReader(b))
	require.NoError(t, err)
	assert.False(t, seen.Whole)
	marks := slices.DeleteFunc(seen.Marks, func(m replay.Mark) bool { return m.Kind == "late" }) // a busy machine
	require.Len(t, marks, 1)
	assert.Equal(t, "panic: the server crashed", marks[0].String())
	r, err := runAgain(t, b, replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.InDelta(t, seen.Ticks, r.Tick(), 1)
}

// TestJournalThatEndsEarly checks that a disk that fails ends the journal and not the game, and
// that journal off does so.
func TestJournalThatEndsEarly(t *testing.T) {
	var b bytes.Buffer
	full := &limited{to: &b, room: 40_000}
	s := newStory(t, func(c *node.Config) { c.Server.Journal.Writer = full })
	s.Run(t, 4*time.Second)
	assert.True(t, full.failed)
	_, err := s.Server.Console().Exec("journal")
	assert.EqualError(t, err, "the journal has ended: no space left on device")
	r, err := runAgain(t, b.Bytes(), replay.Config{})
	assert.Error(t, err)
	assert.Empty(t, r.Difference())
	assert.False(t, r.Whole())

	s = newStory(t, withoutGame)
	s.Run(t, time.Second)
	s.line("journal off")
	_, err = s.Server.Console().Exec("journal")
	assert.EqualError(t, err, "the journal has ended: the operator has ended it")
	_, err = s.Server.Console().Exec("journal on")
	assert.EqualError(t, err, "a journal has all inputs, so it begins with the server: end the server, and start it with --journal DIR")
	ticks := s.Server.Host().TickNumber()
	s.Run(t, time.Second)
	r, err = runAgain(t, s.journal.Bytes(), replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, "the operator has ended it", r.Ended())
	assert.Equal(t, ticks, r.Tick())
}

// TestJournalOnInMidGame checks that the operator learns how a journal begins.
func TestJournalOnInMidGame(t *testing.T) {
	for _, c := range []struct {
		cfg  node.Config
		want string
	}{
		{node.Config{Server: node.ServerConfig{Restarts: true}}, "end the server, and start it with --journal DIR"},
		{node.Config{Server: node.ServerConfig{Restarts: true, Journal: &node.Journal{Writer: io.Discard}}}, "type restart, which begins a new one while players come back"},
	} {
		v := nodetest.NewVirtual(t, c.cfg, 0)
		v.Run(t, 100*time.Millisecond)
		_, _ = v.Server.Console().Exec("journal off")
		_, err := v.Server.Console().Exec("journal on")
		assert.EqualError(t, err, "a journal has all inputs, so it begins with the server: "+c.want)
	}
}

// limited is a disk that is full after some bytes.
type limited struct {
	to     io.Writer
	room   int
	failed bool
}

func (l *limited) Write(b []byte) (int, error) {
	if l.room -= len(b); l.room < 0 {
		l.failed = true
		return 0, errors.New("no space left on device")
	}
	return l.to.Write(b)
}

// TestReplayWithSlowPlayers checks the journal of a server whose players take fewer packets than it
// has ticks. The server asks its host in each step when the next packet is due, as Run does. A
// replay never asks.
func TestReplayWithSlowPlayers(t *testing.T) {
	s := newStory(t)
	s.Run(t, 2*time.Second)
	for i := range s.Clients {
		require.True(t, s.Clients[i].Ready())
		s.say(i, "net.rate 6")
		s.say(i, "net.size 200")
	}
	s.line("sv.bots 12")
	for _, m := range []string{"ridge", "valley"} {
		s.Run(t, 2*time.Second)
		s.line("mission " + m)
	}
	s.Run(t, 2*time.Second)
	require.NoError(t, s.Server.Close())
	r, _ := runAgain(t, s.journal.Bytes(), replay.Config{})
	assert.Empty(t, r.Difference())
}

// TestJournalsOfOtherVersions: journals of an older and of a newer protocol are refused, with both
// versions.
func TestJournalsOfOtherVersions(t *testing.T) {
	for _, version := range []uint32{netcore.ProtocolVersion - 1, netcore.ProtocolVersion + 1} {
		var b bytes.Buffer
		w, err := journal.NewWriter(&b, journal.Header{Protocol: version, Program: "v9", Config: []byte("{}")})
		require.NoError(t, err)
		require.NoError(t, w.Flush())
		_, err = replay.New(&b, replay.Config{})
		assert.EqualError(t, err, fmt.Sprintf("the journal has protocol version %d, and this program has %d: replay it with torc v9", version, netcore.ProtocolVersion))
	}
}
