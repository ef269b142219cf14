package play_test

import (
	"bytes"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/scene"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/play"
)

// frame is the time between two frames of a page.
const frame = 4 * time.Millisecond

// page is a client as a page has it, beside its server, and what it was shown.
type page struct {
	*play.Client
	t       *testing.T
	server  *node.Server
	arrive  []func() // the datagrams under way
	printed []string
	said    []string // messages, after their types
	hud     map[int]string
	demos   [][]byte
}

// inTime plays a test in virtual time.
func inTime(t *testing.T, play func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, play)
}

// join starts a server of ctf and a page in its game.
func join(t *testing.T) *page {
	t.Helper()
	return joinGame(t, node.Config{Server: node.ServerConfig{Load: []string{"ctf"}}})
}

// joinGame starts a server and a page in its game.
func joinGame(t *testing.T, config node.Config) *page {
	t.Helper()
	p := openGame(t, config, false)
	p.until("there is a body", func() bool { return p.has(play.FlagReady | play.FlagBody) })
	return p
}

// openGame starts a server and a page that joins it, to play or to watch.
func openGame(t *testing.T, config node.Config, watch bool) *page {
	t.Helper()
	p := &page{t: t, hud: map[int]string{}}
	began, random := time.Now(), rand.NewChaCha8([32]byte{1})
	var err error
	p.server, err = node.NewServerOn(config, node.Edge{
		Clock: func() time.Duration { return time.Since(began) }, Date: time.Now, Entropy: random,
		Send: func(_ netcore.Addr, b []byte) { p.passes(b, func(b []byte) { p.Receive(b) }) },
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.server.Close() })
	id, err := seal.NewIdentity(random)
	require.NoError(t, err)
	from := netcore.UDPAddr(netip.MustParseAddrPort("192.0.2.1:1"))
	p.Client, err = play.New(node.Config{
		Common: node.Common{Name: "Ann", Identity: &id, Output: func(text string) { p.printed = append(p.printed, text) }},
		Client: node.ClientConfig{Address: "server:1#" + p.server.Key().String(), Watch: watch, Hud: func(n int, text string) { p.hud[n] = text }, Message: func(kind, text string) { p.said = append(p.said, kind+" "+text) }, Demo: func(_ string, parts [][]byte) { p.demos = append(p.demos, slices.Concat(parts...)) }},
	}, func(_ netcore.Addr, b []byte) { p.passes(b, func(b []byte) { p.server.Receive(from, b) }) })
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// passes lets a datagram arrive with the next step.
func (p *page) passes(b []byte, to func([]byte)) {
	b = bytes.Clone(b)
	p.arrive = append(p.arrive, func() { to(b) })
}

func (p *page) has(flags uint32) bool { return p.State[play.WordFlags]&flags == flags }

func (p *page) float(word int) float64 { return float64(math.Float32frombits(p.State[word])) }

// until steps the server and the page until done returns true, for a minute at most.
func (p *page) until(what string, done func() bool) {
	p.t.Helper()
	for began := time.Now(); !done(); time.Sleep(frame) {
		require.Less(p.t, time.Since(began), time.Minute, what)
		now := p.arrive
		p.arrive = nil
		for _, f := range now {
			f()
		}
		require.NoError(p.t, p.server.Step())
		require.NoError(p.t, p.Step())
	}
}

// serverLine runs a line of the server's console.
func (p *page) serverLine(text string) {
	p.t.Helper()
	_, err := p.server.Console().Exec(text)
	require.NoError(p.t, err)
}

// rows returns the rows of a kind.
func (p *page) rows(kind scene.Kind) (rows [][]uint32) {
	for i := range p.Slab.Rows {
		if row := p.Slab.Words[i*scene.RowWords:][:scene.RowWords]; row[scene.WordKind] == uint32(kind) {
			rows = append(rows, row)
		}
	}
	return rows
}

func TestPagePlaysCTF(t *testing.T) { inTime(t, pagePlaysCTF) }

func pagePlaysCTF(t *testing.T) {
	p := join(t)
	p.until("flags, turrets and walls are there", func() bool {
		return len(p.rows(scene.Banner)) == 2 && len(p.rows(scene.Gun)) > 0 && len(p.rows(scene.Building)) > 0
	})
	people := p.rows(scene.Person)
	require.Len(t, people, 1)
	assert.EqualValues(t, scene.FlagOwn, people[0][scene.WordFlags])
	assert.Equal(t, "Ann", p.Slab.Text(people[0][scene.WordName]))
	assert.Equal(t, p.State[play.WordTeam], people[0][scene.WordTeam])
	assert.Equal(t, 1.0, p.float(play.WordHealth))
	assert.Equal(t, 90.0, p.float(play.WordFOV))
	assert.True(t, p.has(play.FlagFirstPerson))

	r, heights, ok := p.Ground()
	require.True(t, ok)
	assert.Len(t, heights, r.Size*r.Size)
	assert.Equal(t, r.Version, p.State[play.WordGround])

	elements := p.Elements(people[0][scene.WordLook])
	require.NotEmpty(t, elements)
	assert.Contains(t, elements[0], "size")
	assert.Nil(t, p.Elements(people[0][scene.WordName]), "a name is no look")

	above := p.float(play.WordEye+2) - float64(math.Float32frombits(people[0][scene.WordPosition+2]))
	assert.True(t, above > 1 && above < 2.5, "the eye is %g m above the feet", above)
	yaw := p.float(play.WordYaw)
	p.Turn(90, 0)
	require.NoError(t, p.Step())
	assert.InDelta(t, 90, math.Mod(p.float(play.WordYaw)-yaw+720, 360), 0.1, "the view turns before the next tick")
	x, y := p.float(play.WordEye), p.float(play.WordEye+1)
	p.Hold(play.Input{Forward: 1})
	p.until("the player has walked", func() bool { return math.Hypot(p.float(play.WordEye)-x, p.float(play.WordEye+1)-y) > 3 })
	assert.InDelta(t, 90, math.Mod(p.float(play.WordYaw)-yaw+720, 360), 0.1, "and stays turned")
	p.Hold(play.Input{Triggers: 1 << sim.FireTrigger})
	p.until("a shot flies or has exploded", func() bool { return len(p.rows(scene.Shot))+len(p.rows(scene.Burst)) > 0 })

	p.View(false, 110)
	p.until("the camera is in third person", func() bool { return !p.has(play.FlagFirstPerson) && p.float(play.WordFOV) == 110 })
	require.NoError(t, p.Command("MessageSent", "hello"))
	p.until("the chat line is shown", func() bool { return slices.Contains(p.said, "MsgChat Ann: hello") })
	assert.NotContains(t, strings.Join(p.printed, "\n"), "hello", "the page decides where a message is shown")
	require.NoError(t, p.Command("Key", "scores"))
	p.until("the scores are shown", func() bool {
		shown, _ := p.HudElements()
		return len(shown) == 1 && shown[0].Name == form.Scores && slices.Contains(shown[0].Rows[0].Choices, "captures")
	})
	assert.Contains(t, p.hud[1], "Red 0 : 0 Blue")
	assert.Empty(t, p.LineText())
}

// TestPageRenames: a new name counts at once, and for the next connection too.
func TestPageRenames(t *testing.T) { inTime(t, pageRenames) }

func pageRenames(t *testing.T) {
	p := join(t)
	require.NoError(t, p.Rename("Zoë"))
	named := func() bool {
		rows := p.rows(scene.Person)
		return len(rows) == 1 && p.Slab.Text(rows[0][scene.WordName]) == "Zoë"
	}
	p.until("the tag has the new name", named)
	p.Line("reconnect")
	p.until("the connection has ended", func() bool { return !p.has(play.FlagReady) || !named() })
	p.until("the new connection has the new name", named)
}

// TestLooksOfAMod follows a look from its declaration in Lua to the elements that a page draws, and
// a change of it.
func TestLooksOfAMod(t *testing.T) { inTime(t, looksOfAMod) }

func looksOfAMod(t *testing.T) {
	p := joinGame(t, node.Config{Server: node.ServerConfig{Load: []string{"ctf", "relics"}}, Common: node.Common{Mods: []fs.FS{fstest.MapFS{
		"relics/mod.toml": {Data: []byte("name = \"relics\"\nversion = \"1.0.0\"\n")},
		"relics/shared/init.lua": {Data: []byte(`
			datablock "StaticShapeData" "RelicData" { look = { { "cone", size = vec(1, 2, 3), color = "#ff00c8", when = "open" } } }
			class "Relic" { inherit = "StaticShape", fields = { state = str(16) } }`)},
	}}}})
	relic := func() (row []uint32, first map[string]any) {
		for _, row := range p.rows(scene.Structure) {
			if all := p.Elements(row[scene.WordLook]); len(all) > 0 {
				if e := all[0].(map[string]any); e["when"] == "open" {
					return row, e
				}
			}
		}
		return nil, nil
	}
	p.serverLine(`for c in clientGroup:each() do new "Relic" { name = "One", dataBlock = "RelicData", position = c.controlObject.position + vec(5, 0, 1) } end`)
	p.until("the look has arrived", func() bool { row, _ := relic(); return row != nil })
	row, e := relic()
	assert.Equal(t, "cone", e["kind"])
	assert.Equal(t, []any{1.0, 2.0, 3.0}, e["size"])
	assert.Equal(t, 0xff00c8, e["color"])
	assert.Equal(t, "base", p.Slab.Text(row[scene.WordState]), "the state of a thing without a skin")

	p.serverLine(`find("One").state = "open"`)
	p.until("the state has arrived", func() bool { row, _ := relic(); return p.Slab.Text(row[scene.WordState]) == "open" })
	p.serverLine(`local l = find("RelicData").look l[1].size = vec(4, 4, 4) find("RelicData").look = l`)
	p.until("the change has arrived", func() bool {
		_, e := relic()
		return e != nil && assert.ObjectsAreEqual([]any{4.0, 4.0, 4.0}, e["size"])
	})
}

func TestConsoleOfAPage(t *testing.T) { inTime(t, consoleOfAPage) }

func consoleOfAPage(t *testing.T) {
	p := join(t)
	p.Line("return 6 * 7")
	assert.Contains(t, p.printed[len(p.printed)-1], "42")
	p.Line(strings.Repeat("x", 5000))
	assert.Contains(t, p.printed[len(p.printed)-1], "error: the line has more than 4096 bytes")
	words, start := p.Complete("net.ra", 6)
	assert.Equal(t, 0, start)
	assert.Contains(t, words, "net.rate")
	for _, pos := range []int{-5, 99} {
		assert.NotPanics(t, func() { p.Complete("net", pos) })
	}
}

// TestPageWatches follows players, looks from above, and flies.
func TestPageWatches(t *testing.T) { inTime(t, pageWatches) }

func pageWatches(t *testing.T) {
	p := openGame(t, node.Config{Server: node.ServerConfig{Load: []string{"ctf"}}, Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: "4"}, {Name: "sv.maxWatchers", Value: "1"}, {Name: "sv.watchDelay", Value: "0.5"}}}}, true)
	p.until("four players are there", func() bool { return p.has(play.FlagReady|play.FlagWatching) && len(p.rows(scene.Person)) == 4 })
	assert.False(t, p.has(play.FlagBody))
	p.until("the scores are there, for a spectator who asks for them", func() bool {
		shown, _ := p.HudElements()
		return len(shown) == 1 && shown[0].Name == form.Scores && shown[0].Rows[0].Lines() == 4
	})
	followed := func() []uint32 {
		for _, row := range p.rows(scene.Person) {
			if row[scene.WordID] == p.State[play.WordFollowed] {
				return row
			}
		}
		return nil
	}
	away := func() (across, up float64) {
		row := followed()
		require.NotNil(t, row)
		at := func(i int) float64 { return float64(math.Float32frombits(row[scene.WordPosition+i])) }
		return math.Hypot(p.float(play.WordEye)-at(0), p.float(play.WordEye+1)-at(1)), p.float(play.WordEye+2) - at(2)
	}
	across, _ := away()
	assert.InDelta(t, 7, across, 1, "behind the player")
	names := map[string]bool{}
	for range 4 {
		names[p.Followed()] = true
		p.Next(1)
		require.NoError(t, p.Step())
	}
	assert.Len(t, names, 4, "everybody in turn")

	p.Observe(play.Above)
	p.Observe(play.Sights) // there is no such sight
	require.NoError(t, p.Step())
	across, up := away()
	assert.Equal(t, []float64{0, -90}, []float64{math.Round(across), p.float(play.WordPitch)})
	p.Hold(play.Input{Up: 1})
	p.until("the camera has risen", func() bool { _, now := away(); return now > up+5 })

	p.Hold(play.Input{})
	p.Observe(play.Follow) // the flight begins near the ground
	require.NoError(t, p.Step())
	p.Observe(play.Fly)
	require.NoError(t, p.Step())
	x, y := p.float(play.WordEye), p.float(play.WordEye+1)
	p.Turn(90, 0)
	p.Hold(play.Input{Forward: 1, Right: math.NaN()})
	p.until("the camera has flown to the west", func() bool { return p.float(play.WordEye) < x-10 })
	assert.InDelta(t, y, p.float(play.WordEye+1), 5)
	assert.Empty(t, p.Followed())
	p.Hold(play.Input{Up: -1})
	p.until("the ground stops it", func() bool {
		z := p.float(play.WordEye + 2)
		require.NoError(t, p.Step())
		return p.float(play.WordEye+2) == z
	})
	assert.Greater(t, p.float(play.WordEye+2), 0.0)
	p.Next(1)
	require.NoError(t, p.Step())
	assert.EqualValues(t, play.Follow, p.State[play.WordSight], "to follow somebody ends the flight")
}
