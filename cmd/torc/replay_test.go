package main

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// rareBug is a mod whose pickups end in a nil, once in a while.
const rareBug = `
local prices = { 5, 7, 11 }
local picked = 0
function onTick(tick)
  if tick % 8 == 0 then
    local price = prices[math.random(1, 4)]
    picked = picked + price
  end
end
`

// mend is the line that mends it.
var mend = strings.NewReplacer("picked + price", "picked + (price or 0)")

func bugFolder(t *testing.T, source string) string {
	t.Helper()
	return mod(t, "shop", map[string]string{"mod.toml": "name = 'shop'\nversion = '1.0.0'\ndepends = ['base']\n", "server/init.lua": source})
}

// journalOf runs a server with a journal, in virtual time, until a mod has a fault. It returns the
// path of the journal.
func journalOf(t *testing.T, mods string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "journals")
	open, err := openMods(mods, mods)
	require.NoError(t, err)
	now := time.Duration(0)
	s, err := node.NewServerOn(node.Config{
		Common: node.Common{Mods: []fs.FS{open}, Vars: []node.Var{{Name: "sv.bots", Value: "2"}}},
		Server: node.ServerConfig{Load: []string{"shop"}, Journal: &node.Journal{Folder: folder}},
	}, edgeAt(&now))
	require.NoError(t, err)
	for s.Scripts().Runtime.Mod("shop") == nil || s.Scripts().Runtime.Mod("shop").Faults() == 0 {
		require.Less(t, now, time.Minute)
		require.NoError(t, s.Step())
		now += 8 * time.Millisecond
	}
	for line, want := range map[string]string{"journal": ".torcj, ", "journal keep": ".torcj", "journal on": "a journal is being written"} {
		out, err := s.Console().Exec(line)
		assert.NoError(t, err)
		assert.Contains(t, out, want)
	}
	require.NoError(t, s.Close())
	all, err := filepath.Glob(filepath.Join(folder, "*.torcj"))
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.FileExists(t, all[0]+".marked")
	return all[0]
}

// replays runs torc replay.
func replays(t *testing.T, stdin string, args ...string) (out string, err error) {
	t.Helper()
	o := read[*config.Replay](t, append([]string{"replay"}, args...)...)
	var b bytes.Buffer
	err = (&system{in: strings.NewReader(stdin), out: &b, err: &b}).replay(o)
	return b.String(), err
}

// TestReplayFindsARareBug checks the way from a fault to its proof: the journal is kept by itself,
// a replay has the fault again, and with the mended mod it does not happen any more.
func TestReplayFindsARareBug(t *testing.T) {
	t.Parallel()
	file := journalOf(t, bugFolder(t, rareBug))
	out, err := replays(t, "", file)
	require.NoError(t, err, out)
	assert.Contains(t, out, "no difference")
	assert.Equal(t, 1, strings.Count(out, "another build can have differences of its own\n"), out)
	assert.Regexp(t, `mark \d+, tick \d+: fault in shop: \S+/shop/server/init.lua:7: `, out) // a busy machine marks late ticks, too

	out, err = replays(t, "", file, "--with-mods", bugFolder(t, mend.Replace("\n\n"+rareBug)))
	require.NoError(t, err, out)
	assert.Regexp(t, `(?m)^shop: fault at tick \d+ in \S+init.lua:7 does not happen any more$`, out)
	out, err = replays(t, "", file, "--check", "--with-mods", bugFolder(t, mend.Replace(rareBug)+"\nmath.random()"))
	assert.Equal(t, 2, strings.Count(out, "another build can have differences of its own\n"), "also beside the difference: %s", out)
	assert.ErrorContains(t, err, "the replay differs: tick ")
	out, err = replays(t, "", file, "--with-mods", bugFolder(t, "\n\n"+rareBug))
	require.NoError(t, err)
	assert.Contains(t, out, "still happens")

	out, err = replays(t, "= 20 + 1\nstep 2\nstep x\nstep 999999\nquit\n", file, "--until", "4", "--prompt")
	require.NoError(t, err)
	for _, want := range []string{"4 of ", "\n21\n", "replay> tick 6\n", "usage: step [N]", "the journal has no more ticks"} {
		assert.Contains(t, strings.ReplaceAll(out, "replay> 21", "\n21"), want)
	}
	out, err = replays(t, "", file, "--from", "mark:1", "--speed", "100")
	require.NoError(t, err, out)
	for _, speed := range []string{"NaN", "-1", "1e7", "fast"} {
		_, err = replays(t, "", file, "--speed", speed)
		assert.EqualError(t, err, "--speed "+speed+": must be 0…1000000, times real time; 0 is as fast as possible, and with --net a pause")
	}
	for _, flag := range []string{"--prompt", "--check"} {
		_, err = replays(t, "", file, "--net", flag)
		assert.EqualError(t, err, "--net cannot be combined with --check or --prompt")
	}
	_, err = replays(t, "", file, "--net", "256.0.0.1:0")
	assert.ErrorContains(t, err, "--net 256.0.0.1:0: ")
	page := start(t, "replay", "--net", file, "--from", "mark:1")
	assert.Contains(t, page.line(), "another build can have differences of its own")
	const said = "the net page of this journal: "
	link, key, _ := strings.Cut(strings.TrimPrefix(page.line(), said), "#")
	for _, path := range []string{"", "/stream"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link+path, nil)
		require.NoError(t, err)
		r.Header.Set("Torc-Net-Key", key)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, http.StatusOK, answer.StatusCode, path)
	}
	page.lines("127.0.0.1 opened the net page")
	page.signal(os.Interrupt)
	page.ends(ended)
	_, err = replays(t, "", file, "--from", "mark:9999")
	assert.ErrorContains(t, err, "there is no mark 9999")
}

// edgeAt is the edge of a server in virtual time, without a network.
func edgeAt(now *time.Duration) node.Edge {
	return node.Edge{
		Clock: func() time.Duration { return *now }, Date: func() time.Time { return time.Unix(1_000_000_000, int64(*now)) },
		Entropy: rand.NewChaCha8([32]byte{}), Send: func(netcore.Addr, []byte) {},
	}
}

// steppedJournal returns the journal of some seconds of a server in virtual time.
func steppedJournal(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	now := time.Duration(0)
	s, err := node.NewServerOn(node.Config{
		Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: "2"}}}, Server: node.ServerConfig{Journal: &node.Journal{Writer: &b}},
	}, edgeAt(&now))
	require.NoError(t, err)
	for ; now < 5*time.Second; now += 8 * time.Millisecond {
		require.NoError(t, s.Step())
	}
	require.NoError(t, s.Close())
	return b.Bytes()
}

// TestReplayOfADamagedJournal checks that a journal is never called whole if a part of it is not,
// and that the replay goes up to that part. A journal that is cut off is no failure.
func TestReplayOfADamagedJournal(t *testing.T) {
	t.Parallel()
	whole := steppedJournal(t)
	file := filepath.Join(t.TempDir(), "x.torcj")
	write := func(b []byte) { require.NoError(t, os.WriteFile(file, b, 0o600)) }
	write(whole)
	out, err := replays(t, "", file)
	require.NoError(t, err, out)
	assert.Contains(t, out, "\nno difference\n")

	write(whole[:len(whole)-9])
	out, err = replays(t, "", file)
	require.NoError(t, err, out)
	assert.Regexp(t, `(?m)^block \d+ of the journal, at byte \d+, cannot be used: the file ends in it: the process was killed, or the file was cut off$`, out)
	assert.Contains(t, out, "\nno difference\n")

	flipped := bytes.Clone(whole)
	flipped[len(whole)-99] ^= 4
	write(flipped)
	const damaged = `block \d+ of the journal, at byte \d+, cannot be used: `
	for _, args := range [][]string{nil, {"--until", "4"}, {"--prompt", "--until", "4"}} {
		out, err = replays(t, "step 9999\n", append([]string{file}, args...)...)
		assert.ErrorContains(t, err, file+": block ", args)
		assert.Regexp(t, "(?m)^"+damaged, out, args)
		assert.Regexp(t, `(?m)^\d+ of \d+ ticks`, out, args)
		assert.Contains(t, out, "\nthe ticks so far do not differ\n", args)
		assert.NotContains(t, out, "no difference", args)
	}
	assert.Regexp(t, "(?m)^replay> "+regexp.QuoteMeta(file)+": "+damaged, out)
	page := start(t, "replay", "--net", file)
	assert.Regexp(t, "^"+damaged, page.expect("block "))
	page.expect("the net page of this journal: ")
	page.signal(os.Interrupt)
	page.ends(failed)
	assert.Contains(t, page.err.String(), file+": block ")
}

// TestReplayOfAPlay calls each command of play's server that no other server has from Lua, and
// types it. A replay has all names of that console, and does not differ.
func TestReplayOfAPlay(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := start(t, "play", "--journal", folder, "--name", "Ann", "--console", "line", "--eval", "view()")
	s, err := node.NewServer(node.Config{Server: node.ServerConfig{Restarts: true}})
	require.NoError(t, err)
	usual := s.Console().Names()
	require.NoError(t, s.Close())
	names := func(p func() string) (all []string) {
		for line := p(); line != "the end"; line = p() {
			name, _, _ := strings.Cut(line, " ")
			all = append(all, name)
		}
		return all
	}
	p.expect("connected to ")
	p.say(`echo "the names"`, "cmds", `echo "the end"`)
	p.expect("the names")
	recorded := names(p.line)
	var own []string
	for _, name := range recorded {
		if !slices.Contains(usual, name) {
			own = append(own, name)
		}
	}
	for _, name := range []string{"client", "reload", "save", "server", "view"} {
		require.Contains(t, own, name)
	}
	for _, name := range own {
		p.say("= pcall("+name+")", "server "+name, name+` "a`, "server", "= select('#', pcall("+name+`, "echo 1"))`)
	}
	p.say(`echo "ended"`)
	p.expect("ended")
	p.quits()
	files, err := filepath.Glob(filepath.Join(folder, "*.torcj"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	out, err := replays(t, "cmds\necho \"the end\"\nquit\n", files[0], "--prompt")
	require.NoError(t, err, out)
	assert.Contains(t, out, "\nno difference\n")
	_, out, _ = strings.Cut(out, "\nreplay> ")
	lines := strings.Split(strings.ReplaceAll(out, "replay> ", ""), "\n")
	next := 0
	assert.Equal(t, recorded, names(func() string { next++; return lines[next-1] }))
}

func TestReplayOfOtherFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(file, []byte("hello"), 0o600))
	_, err := replays(t, "", file)
	assert.EqualError(t, err, file+" is neither a journal nor a demo of torc")
	for text, want := range map[string]string{
		"":                               " is empty: its process was killed at once, or the disk was full",
		"torc-journal\n\x02\x01\x02":     ": the header of the journal cannot be read: the file ends in it: the process was killed, or the file was cut off",
		"torc-journal\n\x01\x01\x02":     ": this journal has the older format 1, and this program reads formats 2 to 3: replay it with the torc that wrote it",
		"torc-journal\n\x04" + "a later": ": this journal has the newer format 4, and this program reads formats 2 to 3: replay it with a newer torc",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err = replays(t, "", file)
		assert.EqualError(t, err, file+want)
	}
	_, err = replays(t, "", t.TempDir())
	assert.ErrorContains(t, err, "is a directory")
	_, err = replays(t, "", filepath.Join(t.TempDir(), "missing"))
	assert.ErrorContains(t, err, "no such file")
	for _, args := range [][]string{{"replay"}, {"replay", "x", "--until", "mark:1"}, {"replay", "x", "--from", "mark:0"}, {"replay", "x", "y"}} {
		_, _, err := config.Parse(args, func(string) (string, bool) { return "", false })
		assert.Error(t, err, args)
	}
}
