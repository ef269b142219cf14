package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/semver"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/modtrial"
	"github.com/torc-engine/torc/script/manifest"
)

// walk is a page that a test types into a shell and into the built program.
type walk struct {
	t              *testing.T
	bin            string // the folder of the program
	dir            string // the folder in which the page is now
	figures        bool   // numbers differ from run to run
	server, client *process
	address        string   // of the server
	metrics        string   // http://… of the server
	ssh            string   // the port of the server's SSH console
	traces         []byte   // the transcript of the command trace
	logs           []string // what the server must have logged at the end
}

// walkThrough does everything that a page shows, in order.
func walkThrough(t *testing.T, page string, figures bool) *walk {
	path, err := torc()
	require.NoError(t, err, path)
	traces, err := os.ReadFile("../../node/testdata/trace.txt")
	require.NoError(t, err)
	w := &walk{t: t, bin: filepath.Dir(path), dir: t.TempDir(), figures: figures, traces: traces}
	for _, b := range blocksOf(t, page) {
		w.does(b)
	}
	return w
}

// does types a block. Each block of a page must be of one of these kinds.
func (w *walk) does(b block) {
	w.t.Helper()
	words := wordsOf(b.text)
	var typed bool
	if w.dir, typed = b.shellIn(w.t, w.dir); typed {
		return
	}
	switch {
	case b.fileIn(w.t, w.dir):
	case strings.Contains(b.text, "torc relay "): // TestRelayCommand runs one
	case b.lang == "sh" && words[1] == "serve":
		w.serves(words[2:])
	case b.lang == "sh" && words[1] == "join":
		w.client = joinIn(w.t, w.dir, w.address, words[3:]...)
	case b.lang == "text": // nobody types it
	case b.lang == "yaml":
		assert.Contains(w.t, b.text, usualMetrics)
	case strings.HasPrefix(b.text, "$ "):
		w.typed(b.text)
	case strings.HasPrefix(b.text, "server> "):
		w.says(b.text)
	case strings.HasPrefix(b.text, "time="):
		w.logs = append(w.logs, strings.Split(strings.TrimSpace(b.text), "\n")...)
	case strings.HasPrefix(b.text, "trace "):
		assert.Contains(w.t, string(w.traces), regexp.MustCompile(`[\d.]+ ms`).ReplaceAllString(b.text, "N ms"))
	default:
		require.Fail(w.t, "nobody runs this", b.text)
	}
}

// usualMetrics is the metrics address on the pages. Tests replace it by a free port.
const usualMetrics = "127.0.0.1:9100"

// usualSSH is the address of the SSH console on the pages, and sshLine begins the lines that use
// it.
const (
	usualSSH = "127.0.0.1:2222"
	sshLine  = "ssh -p 2222"
)

// usualAddress is the address of the server on the pages. Tests replace it by that of their server.
const usualAddress = "127.0.0.1:28000"

// serves starts a server and ends the previous one.
func (w *walk) serves(words []string) {
	w.t.Helper()
	if w.server != nil && w.server.cmd.ProcessState == nil {
		w.quits()
	}
	if i := slices.Index(words, "--listen"); i >= 0 {
		words = slices.Delete(words, i, i+2)
	}
	i := slices.Index(words, usualMetrics)
	if i >= 0 {
		words[i] = "127.0.0.1:0"
	}
	if j := slices.Index(words, usualSSH); j >= 0 {
		words[j] = "127.0.0.1:0"
	}
	w.server, w.address, _ = serveIn(w.t, w.dir, words...)
	for _, line := range w.server.seen {
		if rest, ok := strings.CutPrefix(line, "ssh console at 127.0.0.1:"); ok {
			w.ssh, _, _ = strings.Cut(rest, " ")
		}
	}
	if i >= 0 {
		w.metrics = strings.TrimSuffix(strings.TrimPrefix(w.server.seen[0], "metrics at "), "/metrics")
	}
}

// wordsOf splits a line at its spaces, but not within quotes.
func wordsOf(line string) (words []string) {
	for _, word := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1) {
		words = append(words, strings.Trim(word, `"`))
	}
	return words
}

// alike compares a page's text with the output. `…` matches anything, and durations are ignored.
func (w *walk) alike(want, got string) bool {
	pieces := strings.Split(w.shape(want), "…")
	for i := range pieces {
		pieces[i] = regexp.QuoteMeta(pieces[i])
	}
	return regexp.MustCompile("^(?s:" + strings.Join(pieces, ".*") + ")$").MatchString(w.shape(got))
}

// shape removes times and the numbers of tables, because they differ from run to run.
func (w *walk) shape(text string) string {
	text = regexp.MustCompile(`"ms":[\d.]+`).ReplaceAllString(vague(text), `"ms":N`)
	text = regexp.MustCompile(`(?m)^(\S.*?)(?: +[\d.]+){7}$`).ReplaceAllString(text, "$1 N")
	text = regexp.MustCompile(`(?m)^ +calls .*$`).ReplaceAllStringFunc(text, func(head string) string { return strings.Join(strings.Fields(head), " ") })
	text = regexp.MustCompile(`(?m)^warnings \d+((?:\n\S+ \S+ the process stood still.*)*)$`).ReplaceAllString(text, "warnings 0") // a busy machine
	if w.figures {
		text = regexp.MustCompile(`\b\d[\d.]*`).ReplaceAllString(text, "N")
	}
	return text
}

// typed runs the command after each "$ " and expects the output below it.
func (w *walk) typed(text string) {
	w.t.Helper()
	for _, part := range strings.Split(text, "$ ")[1:] {
		line, want, _ := strings.Cut(part, "\n")
		got := w.shell(line)
		for limit := testenv.Limit(w.t); strings.HasPrefix(line, "torc query ") && !w.alike(want, got) && !testenv.Expired(limit); {
			got = w.shell(line) // the first mission is there some ticks after the start
		}
		assert.True(w.t, w.alike(want, got), "$ %s\nthe page says:\n%s\nit is:\n%s", line, want, got)
	}
}

// shell returns the output of a command line.
func (w *walk) shell(line string) string {
	w.t.Helper()
	if path, ok := strings.CutPrefix(line, "curl http://"+usualMetrics); ok {
		r, err := http.Get(w.metrics + path)
		require.NoError(w.t, err)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		require.NoError(w.t, err)
		return string(text)
	}
	options := "ssh -F none -o UserKnownHostsFile=known -o StrictHostKeyChecking=accept-new -o IdentitiesOnly=yes -o LogLevel=ERROR -p " + w.ssh
	line = strings.ReplaceAll(line, sshLine, options)
	cmd := exec.Command("sh", "-c", strings.ReplaceAll(line, usualAddress, w.address))
	cmd.Dir = w.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TORC_") }), "PATH="+w.bin+":"+os.Getenv("PATH"), "HOME="+w.t.TempDir(), "TORC_LISTEN=127.0.0.1:0")
	out, _ := testenv.Output(w.t, cmd)
	if w.address == "" {
		return string(out)
	}
	return strings.ReplaceAll(string(out), w.address, usualAddress)
}

// asks matches commands that change nothing. The test repeats them until the answer arrives.
var asks = regexp.MustCompile(`^(mods?( (faults|top|info)\b.*)?|players|store\b.*|metrics|import\(.*|(scope|ghosts|net|moves)\b.*)$`)

// says types the lines after the prompts into the server and the client, and expects their output.
func (w *walk) says(text string) {
	w.t.Helper()
	var p *process
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		side, line, ok := strings.Cut(lines[i], "> ")
		require.True(w.t, ok, lines[i])
		p = map[string]*process{"server": w.server, "client": w.client}[side]
		from := i + 1
		for i++; i < len(lines) && !regexp.MustCompile(`^(server|client)> `).MatchString(lines[i]); i++ {
		}
		if line == "quit" {
			w.quits()
			return
		}
		w.asks(p, line, lines[from:i])
	}
	p.say(`echo("--")`)
	p.lines("--")
}

func (w *walk) asks(p *process, line string, want []string) {
	w.t.Helper()
	for limit := testenv.Limit(w.t); ; {
		p.say(line)
		got := make([]string, len(want))
		ok := true
		for i := range want {
			got[i] = p.line()
			if ok = w.alike(want[i], got[i]); !ok {
				got = got[:i+1]
				break
			}
		}
		if ok {
			return
		}
		require.True(w.t, asks.MatchString(line) && !testenv.Expired(limit), "%s\nthe page says:\n%s\nit is:\n%s", line, strings.Join(want, "\n"), strings.Join(got, "\n"))
		p.say(`echo("--")`)
		p.expect("--")
	}
}

// quits ends the server. Its log must contain the log lines of the page.
func (w *walk) quits() {
	w.t.Helper()
	w.server.quits()
	log := w.server.err.String()
	logs := w.logs
	w.logs = nil
	for _, want := range logs {
		found := false
		for line := range strings.Lines(log) {
			found = found || w.alike(want, strings.TrimSuffix(line, "\n"))
		}
		assert.True(w.t, found, "the page shows: %s\nthe log is:\n%s", want, log)
	}
}

func TestPageTesting(t *testing.T) {
	t.Parallel()
	walkThrough(t, "testing.md", false)
}

func TestPageHTTP(t *testing.T) {
	t.Parallel()
	walkThrough(t, "http.md", false)
}

func TestPageDebugging(t *testing.T) {
	t.Parallel()
	walkThrough(t, "debugging.md", false).quits()
}

func TestPageServer(t *testing.T) {
	t.Parallel()
	walkThrough(t, "server.md", true).quits()
}

// TestPageFirstServer checks the walk-through of an operator, with the ssh of OpenSSH.
func TestPageFirstServer(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("ssh is not installed")
	}
	walkThrough(t, "firstserver.md", true).quits()
}

func TestPagePublishing(t *testing.T) {
	t.Parallel()
	walkThrough(t, "publishing.md", false).quits()
}

// TestPageVersionRanges checks the version ranges of the page.
func TestPageVersionRanges(t *testing.T) {
	page, err := os.ReadFile("../../docs/publishing.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `(base.*?)` \\| ([^|]+) \\| ([^|]+) \\|$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, 6)
	for _, row := range rows {
		text := "name = \"x\"\nversion = \"1.0.0\"\ndepends = [\"" + strings.ReplaceAll(row[1], `\|`, "|") + "\"]\n"
		m, err := manifest.Read("x", fstest.MapFS{"mod.toml": {Data: []byte(text)}})
		require.NoError(t, err)
		for i, met := range []bool{true, false} {
			for _, version := range strings.Split(strings.Trim(row[2+i], "–"), ", ") {
				if version == "" {
					continue
				}
				v, err := semver.Parse(version)
				require.NoError(t, err)
				assert.Equal(t, met, m.Depends[0].Allows(v), "%s %s", row[1], version)
			}
		}
	}
}

// TestPageConsole checks that docs/console.md lists everything in the consoles of a server and a
// client. The limits of mods have their own page, and metrics are on the page of servers.
func TestPageConsole(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/console.md")
	require.NoError(t, err)
	p := start(t, "play", "--console", "line")
	p.expect("connected to ")
	p.say("list", "client list", `echo("--")`)
	n := 0
	for line := p.line(); line != "--"; line = p.line() {
		name, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(line, " ") || regexp.MustCompile(`^mod\.(cpu|max|callback|load|reload|line|thread|tick)`).MatchString(name) {
			continue
		}
		assert.Regexp(t, "`"+regexp.QuoteMeta(name)+"[` ]", string(page))
		n++
	}
	assert.Greater(t, n, 80)

	servers, err := os.ReadFile("../../docs/server.md") // this page has the metrics
	require.NoError(t, err)
	p.say("metrics", `echo("--")`)
	n = 0
	for line := p.line(); line != "--"; line = p.line() {
		if family, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ := strings.Cut(family, " ")
			assert.Contains(t, string(servers), "`"+name+"`")
			n++
		}
	}
	assert.Greater(t, n, 20)
	p.quits()
}

// TestPageReadme types the README's instructions for newcomers and checks their results.
func TestPageReadme(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	path, err := torc()
	require.NoError(t, err, path)
	dir := t.TempDir()
	p := startWith(t, dir, nil, "play", "--mod", "hello", "--console", "line")
	p.expect("connected to ")
	typed, tools := 0, 0
	for _, b := range regexp.MustCompile("(?s)\n```(\\w*)\n(.*?)```\n").FindAllStringSubmatch(string(page), -1) {
		for _, line := range strings.Split(strings.TrimSpace(b[2]), "\n") {
			words := wordsOf(line)
			switch line, _, _ = strings.Cut(line, "   "); { // the explanation follows the command
			case b[1] == "sh" && words[1] == "mod":
				cmd := exec.Command(path, words[1:]...)
				cmd.Dir, cmd.Env = dir, environment(t, path)
				out, err := testenv.Output(t, cmd)
				require.NoError(t, err, string(out))
				tools++
			case b[1] == "sh":
				q := startWith(t, dir, nil, append(words[1:], "--console", "line", "--strict")...)
				q.expect("connected to ")
				q.say("mod.watch", "quit")
				q.expect("true")
				q.ends(ended)
				tools++
			case b[1] == "go" || regexp.MustCompile(`^(go run|torc |netcore/)`).MatchString(b[2]) || line == "quit":
			default:
				p.say(strings.TrimSpace(line), `echo("--")`)
				p.expect("--")
				typed++
			}
		}
	}
	require.Greater(t, typed, 10)
	require.Equal(t, 3, tools)
	p.quits()
	assert.NotContains(t, strings.Join(p.seen, "\n"), "error:")
	assert.NotContains(t, p.err.String(), "level=ERROR")
}

// TestPageClients checks that the script on the page of clients makes moves.
func TestPageClients(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, address, _ := serveOn(t, "--mod", "deathmatch", "--mission", "arena")
	lua := ""
	for _, b := range blocksOf(t, "client.md") {
		if b.lang == "lua" {
			lua += b.text
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stroll.lua"), []byte(lua), 0o600))
	client := joinIn(t, dir, address, "--bot", "stroll.lua")
	client.until("server.moves.made > 20", "true")
	client.until("server.controlObject and server.controlObject.velocity:length() > 1", "true")
	server.quits()
	client.ends(ended)
	assert.NotContains(t, client.err.String(), "level=ERROR")
}

// TestPageLimits checks the page of limits: its tests, and clients that exceed a limit.
func TestPageLimits(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/limits.md")
	require.NoError(t, err)
	_, out, _ := runTorc("mod", "test", modFolder(t, "test/x_test.lua", `test("crowd", function() for i = 1, 65 do client { halves = false } end end)`))
	assert.Contains(t, out, "a test can have at most 64 clients")
	for _, says := range []string{
		"a test can have at most 64 clients",
		"the budget of 20000000 instructions is used up", "a file can have at most 1000 tests", // TestFilesThatFail of node/modtrial
		fmt.Sprintf("`the test has not ended after %v of its time`", modtrial.Longest), // TestHostileTests of node/modtrial
	} {
		assert.Contains(t, string(page), says)
	}
	assert.Contains(t, string(page), fmt.Sprintf("| %d min | | `the tests have not ended after %v`", modtrial.Timeout/time.Minute, modtrial.Timeout)) // TestTimeout of node/modtrial

	server, address, _ := serveOn(t)
	client := joinTo(t, address)
	client.say(`for i = 1, 200 do commandToServer("Nothing") end`, `echo("--")`)
	client.expect("--")
	server.until("clientGroup:each()().ping >= 0", "true")
	client.quits()
	server.quits()
	assert.Contains(t, server.err.String(), "too many commands")
	assert.Contains(t, string(page), "`too many commands`")
}

// TestPageBase checks that docs/mods.md lists the functions of base.
func TestPageBase(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/mods.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "\n## 21. ")
	section, _, _ = strings.Cut(section, "\n## ")
	var told []string
	for _, m := range regexp.MustCompile("`(\\w+)\\(").FindAllStringSubmatch(section, -1) {
		told = append(told, m[1])
	}
	_, rest, _ := strings.Cut(newTable(t, 1, "base").say("mod info base"), "  exports ")
	exports, _, _ := strings.Cut(rest, "\n")
	assert.ElementsMatch(t, append(strings.Split(exports, ", "), "addMessageCallback"), told) // that one is of clients
}
