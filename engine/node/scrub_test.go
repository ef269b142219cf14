package node_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/journal"
	"github.com/torc-engine/torc/engine/node"
	"github.com/torc-engine/torc/script"
)

// guestbook is a mod that stores who has joined, and tells the best player of earlier runs.
const guestbook = `
local best = store:get("best")
function onClientEnterGame(client)
  store:put("guest " .. client.name, client.name)
  messageAll("MsgBest", "%1 is better than %2", best, client.name)
end
`

// remembered is a store with a value of an earlier run.
type remembered struct{ script.Store }

func (remembered) Load(mod string) (map[string][]byte, error) {
	if mod != "diary" {
		return nil, nil
	}
	return map[string][]byte{"best": []byte(`"Bartholomew"`)}, nil
}

// secrets are what people can be known by in the journal of a guestbook.
var secrets = []string{"bartholomew", "wilhelmina", "zacharias", "192.0.2.", "open sesame", "meet me at noon", "welcome dear friends", "insulted everybody"}

// guestJournal returns the journal of a match with names, chat, lines of an operator and a ban.
func guestJournal(t *testing.T) ([]byte, *virtual) {
	var b bytes.Buffer
	seed := uint64(7)
	cfg := node.Config{
		Seed: &seed, Name: "guests", Password: "open sesame", Load: []string{"ctf", "diary"}, Data: t.TempDir(),
		Mods: []fs.FS{os.DirFS(modFolder(t, guestbook))}, Vars: []node.Var{{Name: "sv.bots", Value: "2"}, {Name: "ctf.warmup", Value: "1"}},
		Journal: &node.Journal{Writer: &b},
	}
	v := newVirtual(t, cfg, 0, func(e *node.Edge) { e.Store = remembered{script.NewMemoryStore()} })
	for i, name := range []string{"Bartholomew", "Wilhelmina", "Zacharias"} {
		v.addNamed(t, i, cfg, name)
	}
	v.run(t, 2*time.Second)
	for _, c := range v.clients {
		require.True(t, c.Ready())
	}
	line := func(line string) {
		t.Helper()
		_, err := v.server.Console().Exec(line)
		require.NoError(t, err, line)
	}
	_, err := v.clients[0].Console().Exec(`commandToServer("MessageSent", "meet me at noon, Wilhelmina")`)
	require.NoError(t, err)
	line("say welcome dear friends")
	line("role.give Bartholomew admin")
	v.run(t, 3*time.Second)
	v.banned[2] = true
	line("ban Zacharias 1h insulted everybody")
	line("ban 192.0.2.77 forever")
	v.run(t, 4*time.Second)
	v.server.Quit("over")
	for end := v.now + 3*time.Second; err == nil && v.now < end; v.now += time.Millisecond {
		err = v.server.Step()
	}
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, v.server.Close())
	return b.Bytes(), v
}

// plainTexts returns all texts of a journal in lower case: its header, and its entries with JSON decoded.
func plainTexts(t *testing.T, b []byte) string {
	t.Helper()
	r, err := journal.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	var all strings.Builder
	all.Write(r.Header.Config)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return strings.ToLower(all.String())
		}
		require.NoError(t, err)
		var values map[string][]byte
		if e.Kind == journal.Loaded && json.Unmarshal(e.Data, &values) == nil {
			for key, value := range values {
				fmt.Fprintf(&all, "\n%s %s", key, value)
			}
		}
		fmt.Fprintf(&all, "\n%s\n%s", e.Name, e.Data)
	}
}

// TestScrub checks that a scrubbed journal has nothing by which people are known, and that it replays the same game.
func TestScrub(t *testing.T) {
	b, v := guestJournal(t)
	before := plainTexts(t, b)
	for _, s := range secrets {
		if s != "meet me at noon" && s != "192.0.2." && s != "wilhelmina" { // these are in sealed packets and in numbers
			require.Contains(t, before, s)
		}
	}
	var out bytes.Buffer
	report, err := node.ScrubJournal(bytes.NewReader(b), &out, nil)
	require.NoError(t, err)
	assert.Empty(t, report.Difference)
	// The players, and who gave the lines.
	assert.Equal(t, []int{4, 4, 1}, []int{report.Names, report.Addresses, report.Passwords})
	assert.GreaterOrEqual(t, report.Texts, 3)
	after := plainTexts(t, out.Bytes())
	assert.Contains(t, after, "say xxxxxxx xxxx xxxxxxx")
	for _, s := range append(secrets, string([]byte{192, 0, 2}), v.clients[0].Host().Identity().Public.String(), v.server.Key().String()) {
		assert.NotContains(t, after, s)
	}

	said := ""
	r, err := node.NewReplay(bytes.NewReader(out.Bytes()), node.ReplayConfig{Output: func(text string) { said += text + "\n" }})
	require.NoError(t, err)
	defer func() { assert.NoError(t, r.Close()) }()
	players := 0
	for err == nil {
		err = r.Step()
		for _, c := range r.Host().Connections() {
			if !c.Bot() {
				players = max(players, len(r.Host().Connections()))
				assert.Regexp(t, `^Player00\d$`, c.PlayerName)
				assert.Regexp(t, `^198\.18\.0\.\d+:\d$`, c.Address())
			}
		}
	}
	assert.ErrorIs(t, err, io.EOF)
	assert.Equal(t, 5, players)
	assert.Empty(t, r.Difference())
	assert.Empty(t, r.Marks())
	assert.True(t, r.Whole())
	assert.Equal(t, v.server.Host().TickNumber(), r.Tick())
	for _, s := range secrets {
		assert.NotContains(t, strings.ToLower(said), s)
	}
}

// TestScrubKeepsTheGame checks a story with reloads, a mission change, faults and commands of the program.
func TestScrubKeepsTheGame(t *testing.T) {
	var out bytes.Buffer
	b := newStory(t).play()
	report, err := node.ScrubJournal(bytes.NewReader(b), &out, nil)
	require.NoError(t, err)
	assert.Empty(t, report.Difference)
	r, err := replay(t, out.Bytes(), node.ReplayConfig{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, report.Ticks, r.Tick())
	assert.NotEmpty(t, r.Marks())
}

// TestScrubOfAJournalThatWasCut checks that the copy of a journal without an end says so.
func TestScrubOfAJournalThatWasCut(t *testing.T) {
	b, _ := guestJournal(t)
	var out bytes.Buffer
	_, err := node.ScrubJournal(bytes.NewReader(b[:len(b)-1]), &out, nil)
	require.NoError(t, err)
	r, err := replay(t, out.Bytes(), node.ReplayConfig{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, "the scrubbed journal has no end", r.Ended())
}
