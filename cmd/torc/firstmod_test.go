package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
)

// block is a part of a page that is to be typed, or expected.
type block struct{ lang, text string }

// firstMod is docs/firstmod.md in its order: its blocks, and the lines among the
// text that one is told to try. It leads into a folder to begin in.
func firstMod(t *testing.T) (blocks []block) {
	page, err := os.ReadFile("../../docs/firstmod.md")
	require.NoError(t, err)
	for _, b := range regexp.MustCompile("(?s)\n```(\\w*)\n(.*?)```\n|`(\\w+\\.\\w+ = \\w+)`").FindAllStringSubmatch(string(page), -1) {
		if b[3] != "" {
			b[2] = "server> " + b[3] + "\n"
		}
		blocks = append(blocks, block{b[1], b[2]})
	}
	t.Chdir(t.TempDir())
	return blocks
}

// prepares does what a block says to a folder, and reports whether it did: commands
// of the shell, and files that begin with their names.
func (b block) prepares(t *testing.T) bool {
	t.Helper()
	if b.lang == "sh" && !strings.Contains(b.text, "torc") {
		out, err := exec.Command("sh", "-ec", b.text+"pwd").CombinedOutput()
		require.NoError(t, err, string(out))
		t.Chdir(strings.TrimSpace(string(out)))
		return true
	}
	head, _, _ := strings.Cut(b.text, "\n")
	if b.lang != "lua" && b.lang != "toml" {
		return false
	}
	name := strings.TrimLeft(head, "-# ")
	require.NoError(t, os.WriteFile(name, []byte(b.text), 0o600))
	return true
}

// TestTheFirstMod types all of the page: what it makes works, and what it says that
// comes of it does.
func TestTheFirstMod(t *testing.T) {
	var printed []string
	var r *rehearsal
	for _, b := range firstMod(t) {
		words := strings.Fields(b.text)
		switch {
		case b.prepares(t):
		case b.text == "go install ./cmd/torc\n": // as the tests of processes build it
		case b.lang == "sh" && words[1] == "serve":
			o := options(t, append(words[1:], "--strict", "--seed", "1")...)
			r = rehearseServer(t, func(line string) { printed = append(printed, line) }, o)
		case b.lang == "sh" && words[1] == "join":
			r.joins(options(t, words[1:]...))
			r.net.Run(r.net.Now()+2*time.Second, engine.TickTime)
			require.Equal(t, []string{"connected to sim:1"}, printed)
			printed = nil
		case strings.HasPrefix(b.text, "server>"):
			r.plays(t, b.text, &printed)
		default:
			require.True(t, strings.HasPrefix(b.text, "mod snow is not loaded: "), "nobody runs this:\n%s", b.text)
		}
	}
	require.NotNil(t, r)
}

// plays types what stands behind the prompts of a block, and expects what follows.
func (r *rehearsal) plays(t *testing.T, block string, printed *[]string) {
	t.Helper()
	got := ""
	for _, line := range strings.SplitAfter(block, "\n") {
		typed, is := strings.CutPrefix(line, "server> ")
		if !is {
			if typed, is = strings.CutPrefix(line, "client> "); !is {
				continue
			}
			typed = "client " + typed
		}
		out, _, err := r.Feed(strings.TrimSuffix(typed, "\n"))
		require.NoError(t, err)
		require.Empty(t, out)
		got += line
		for _, text := range *printed {
			got += text + "\n"
		}
		*printed = nil
	}
	require.Equal(t, block, got)
}

// TestTheFirstModInProcesses: the page's commands start the programs that they name.
func TestTheFirstModInProcesses(t *testing.T) {
	_, err := torc()
	require.NoError(t, err)
	var server, client *process
	for _, b := range firstMod(t) {
		words := strings.Fields(b.text)
		switch {
		case b.prepares(t):
		case b.lang == "sh" && words[1] == "serve":
			var address string
			server, address, _ = serveOn(t, words[2:]...)
			t.Setenv("ADDRESS", address)
		case b.lang == "sh" && words[1] == "join":
			client = joinTo(t, os.Getenv("ADDRESS"), words[3:]...)
		}
	}
	client.say("key slot3")
	client.expect("You hold a snow gun.")
	client.say("server.controlObject.image0 == SnowGun")
	client.expect("true")
	server.say("quit")
	server.ends(ended)
	client.ends(ended)
}

// TestTheFirstMistake: what the page says of a mistake is what a server says.
func TestTheFirstMistake(t *testing.T) {
	for _, b := range firstMod(t) {
		if strings.Contains(b.text, `"Snowball" {`) {
			b.text = strings.Replace(b.text, "muzzleVelocity", "muzzleVelocty", 1)
		}
		if b.prepares(t) || !strings.HasPrefix(b.text, "mod snow is not loaded: ") {
			continue
		}
		p := start(t, "serve", "--listen", "127.0.0.1:0", "--mods", "mods", "--mod", "snow", "--strict")
		p.ends(failed)
		require.Contains(t, p.err.String(), strings.TrimSpace(b.text))
	}
}
