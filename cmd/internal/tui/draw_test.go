package tui

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/scene"
	"github.com/torc-engine/torc/internal/testenv"
)

// hills is a terrain that is easy to recognise.
func hills(x, y float64) float64 { return 20 + 10*math.Sin(x/20) + 10*math.Cos(y/20) }

// field returns a scene with one object of each kind.
func field(width, height int) *Scene {
	s := &Scene{
		Width: width, Height: height, Centre: sim.Vec3{X: 10, Y: 20, Z: 5}, Scale: 1,
		Body: Body{Known: true, At: sim.Vec3{X: 10, Y: 20, Z: 5}, Yaw: -90, Speed: 12.4, Health: 0.63, Energy: 0.5, Ride: -1, Ping: 43, Team: 1},
		Things: []Marker{
			{Kind: scene.Person, At: sim.Vec3{X: 10, Y: 20, Z: 5}, Yaw: -90, Team: 1, Name: "Me", Own: true},
			{Kind: scene.Person, At: sim.Vec3{X: 20, Y: 26, Z: 30}, Yaw: 135, Team: 2, Name: "Bob"},
			{Kind: scene.Person, At: sim.Vec3{X: 2, Y: 14, Z: 5}, Yaw: 0, Team: 1, Name: "Zoë 日本"},
			{Kind: scene.Building, At: sim.Vec3{X: -8, Y: 24}, Size: sim.Vec3{X: 8, Y: 8, Z: 4}},
			{Kind: scene.Gun, At: sim.Vec3{X: -8, Y: 16}, Team: 2},
			{Kind: scene.Gun, At: sim.Vec3{X: -4, Y: 16}, Team: 2, Down: true},
			{Kind: scene.Pickup, At: sim.Vec3{X: 16, Y: 16}},
			{Kind: scene.Structure, At: sim.Vec3{X: 24, Y: 16}, Team: 1},
			{Kind: scene.Ride, At: sim.Vec3{X: 24, Y: 20}, Yaw: 180, Team: 2},
			{Kind: scene.Shot, At: sim.Vec3{X: 14, Y: 20}},
			{Kind: scene.Burst, At: sim.Vec3{X: 4, Y: 24}, Size: sim.Vec3{X: 4}},
			{Kind: scene.Banner, At: sim.Vec3{X: 20, Y: 26, Z: 30}, Team: 1},
			{Kind: scene.Banner, At: sim.Vec3{X: 500, Y: 18}, Team: 2},
		},
		Bars:     3,
		Messages: []string{"Ann came from 10.0.0.7", "Bob: hi"},
	}
	s.Hud[1], s.Hud[2] = "Red 2   Blue 1", "12:31 left"
	s.Hud[topLines] = "score  kills"
	for n := topLines + 1; n <= topLines+3; n++ {
		s.Hud[n] = fmt.Sprintf("player %d      %3d", n, 10*n)
	}
	s.Hud[centreLine], s.Hud[bottomLine] = "You have the flag!", "disc 14"
	return s
}

func with(s *Scene, change func(*Scene)) *Scene { change(s); return s }

func terrain(s *Scene) { s.Ground, s.Low, s.High = hills, 0, 40 }

// places adds two places that players find: one on the screen, and one far off.
func places(s *Scene) {
	s.Things = append(s.Things,
		Marker{Kind: scene.Waypoint, At: sim.Vec3{X: -4, Y: 18}, Team: 1, Name: "the ford"},
		Marker{Kind: scene.Waypoint, At: sim.Vec3{X: -300, Y: 18}, Name: "the far end of the valley"})
}

// asked shows the help with the keys that mods ask for. Not all have room.
func asked(s *Scene) {
	s.Help, s.Asked = true, []string{"bind map     read the map"}
	for n := range 9 {
		s.Asked = append(s.Asked, fmt.Sprint("bind key", n, "    does a thing"))
	}
}

// TestScreens compares drawings with reviewed screens.
func TestScreens(t *testing.T) {
	for name, s := range map[string]*Scene{
		"plain":    field(80, 24),
		"terrain":  with(field(80, 24), terrain),
		"scores":   with(field(60, 16), func(s *Scene) { s.Scores = true }),
		"help":     with(field(80, 20), func(s *Scene) { s.Help = true }),
		"asked":    with(field(80, 24), asked),
		"typing":   with(field(40, 12), func(s *Scene) { s.Typing, s.Label, s.Input = true, "say", "this line is longer than there is room" }),
		"far":      with(field(60, 16), func(s *Scene) { s.Scale = 8 }),
		"riding":   with(field(60, 8), func(s *Scene) { s.Body.Ride, s.Body.Energy = 0.2, -1 }),
		"signs":    with(field(80, 24), func(s *Scene) { s.Plain = true }),
		"places":   with(field(60, 16), places),
		"nobody":   {Width: 50, Height: 8, Scale: 1},
		"broken":   with(field(60, 12), func(s *Scene) { s.Bars, s.Line = 0, "connection interrupted (3 s)" }),
		"small":    field(20, 6),
		"smaller":  field(8, 3),
		"flat":     field(30, 1),
		"thin":     field(1, 9),
		"nothing":  field(0, 0),
		"negative": field(-3, 4),
	} {
		t.Run(name, func(t *testing.T) {
			var c Frame
			c.Draw(s)
			path := filepath.Join("testdata", name+".txt")
			if testenv.Update() {
				require.NoError(t, os.WriteFile(path, []byte(c.String()), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), c.String())
			assertWhole(t, &c)
		})
	}
}

// assertWhole checks that every wide character has its second half, and that the frame has no
// control characters.
func assertWhole(t *testing.T, c *Frame) {
	t.Helper()
	for y := range c.Height {
		for x := 0; x < c.Width; x++ {
			r := c.At(x, y).Rune
			require.True(t, r >= ' ' && r != 0x7f, "%q at %d, %d", r, x, y)
			if width(r) == 2 {
				x++
				require.Less(t, x, c.Width, "half of %q", r)
				require.Zero(t, c.At(x, y).Rune)
			}
		}
	}
}

func TestStylesMarkTeamsAndSelf(t *testing.T) {
	var c Frame
	s := field(80, 24)
	c.Draw(s)
	p := project(s)
	at := func(i int) Glyph { return c.At(p.cell(s.Things[i].At)) }
	assert.Equal(t, Glyph{'→', Style{Fg: team(1), Bold: true, Reverse: true}}, at(0))
	assert.Equal(t, Glyph{'↙', Style{Fg: team(2), Bold: true}}, at(1))
	assert.NotEqual(t, team(1), team(2))
}

func TestArrows(t *testing.T) {
	for yaw, want := range map[float64]rune{0: '↑', 90: '←', -90: '→', 270: '→', 180: '↓', 45: '↖', 22: '↑', 23: '↖', -3600: '↑', 359: '↑'} {
		assert.Equal(t, string(want), string(arrow(&arrows, yaw)), "%g", yaw)
	}
	assert.NotPanics(t, func() { arrow(&arrows, math.NaN()); arrow(&arrows, math.Inf(1)) })
	assert.Equal(t, "90°", compass(-90))
	assert.Equal(t, "0°", compass(0))
	assert.Equal(t, "270°", compass(90))
	assert.Equal(t, "-", compass(math.NaN()))
}

// TestStillObjectsStayOnScreen moves the centre by less than a character.
func TestStillObjectsStayOnScreen(t *testing.T) {
	var a, b Frame
	s := with(field(60, 20), terrain)
	s.Things, s.Body.Known = nil, false
	s.Centre = sim.Vec3{X: 7.01, Y: 4.02}
	a.Draw(s)
	s.Centre = sim.Vec3{X: 7.99, Y: 5.98}
	b.Draw(s)
	assert.Equal(t, a.String(), b.String())
	s.Centre.X++
	b.Draw(s)
	assert.NotEqual(t, a.String(), b.String())
}

// TestDrawAcceptsAnyScene draws invalid scenes.
func TestDrawAcceptsAnyScene(t *testing.T) {
	odd := []float64{0, -1, 1e300, -1e300, math.NaN(), math.Inf(1), math.Inf(-1), 0.5, 1e-300}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := func() float64 { return odd[r.IntN(len(odd))] }
		v := func() sim.Vec3 { return sim.Vec3{X: n(), Y: n(), Z: n()} }
		s := &Scene{
			Width: r.IntN(30) - 1, Height: r.IntN(12) - 1, Centre: v(), Scale: n(), Low: n(), High: n(),
			Body: Body{Known: r.IntN(2) == 0, At: v(), Yaw: n(), Speed: n(), Health: n(), Energy: n(), Ride: n(), Team: r.IntN(99) - 9},
			Bars: r.IntN(9) - 2, Typing: r.IntN(2) == 0, Input: strings.Repeat("日x", r.IntN(9)), Messages: make([]string, r.IntN(30)),
		}
		if r.IntN(2) == 0 {
			s.Ground = func(x, y float64) float64 { return n() }
		}
		for i := range s.Messages {
			s.Messages[i] = strings.Repeat("語", i)
		}
		for range r.IntN(20) {
			s.Things = append(s.Things, Marker{
				Kind: scene.Kind(r.IntN(int(scene.Kinds))), At: v(), Size: v(), Yaw: n(), Team: r.IntN(99) - 9, Name: "n日me",
				Own: r.IntN(4) == 0, Down: r.IntN(4) == 0,
			})
		}
		var c Frame
		require.NotPanics(t, func() { c.Draw(s) }, "seed %d: %+v", seed, s)
		assertWhole(t, &c)
	}
}

func TestDistantObjectsAreNotDrawn(t *testing.T) {
	for _, n := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 1e6} {
		assert.Equal(t, -1_000_000, place(n), "%g", n)
	}
	assert.Equal(t, -1, place(-0.5))
	assert.Equal(t, 79, place(79.9))
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"Bob": "Bob", "a\x1b[31mb": "a[31mb", "a\tb\nc": "a b c", "\u202eevil": "evil", "z\u0300\u0301": "z",
		"zero\u200bwidth": "zerowidth", "日本": "日本", "\xff": "\ufffd", "a\u00a0b": "a b", "\u0085": "", "\u00ad": "", "\x7f": "",
	} {
		assert.Equal(t, want, Plain(text), "%q", text)
	}
	assert.Equal(t, "日", cut("日本", 3))
	assert.Equal(t, "本", tail("日本", 3))
	assert.Equal(t, "", tail("日本", -1))
}

func TestDrawingAllocatesNothing(t *testing.T) {
	var c Frame
	s := with(field(120, 40), terrain)
	s.Messages, s.Hud[1] = nil, "x"
	c.Draw(s)
	assert.LessOrEqual(t, testing.AllocsPerRun(20, func() { c.Draw(s) }), 8.0, "some numbers become text")
}

func BenchmarkDraw(b *testing.B) {
	var c Frame
	s := with(field(120, 40), terrain)
	b.ReportAllocs()
	for b.Loop() {
		c.Draw(s)
	}
}

// TestOperatorLinesStandOut checks that lines of an operator have another style than lines of
// players.
func TestOperatorLinesStandOut(t *testing.T) {
	var c Frame
	s := with(field(60, 20), terrain)
	s.Messages = []string{"*** Server: restart", "Server: restart"}
	c.Draw(s)
	styles := map[string]Style{}
	for y := range c.Height {
		var row strings.Builder
		for x := range c.Width {
			row.WriteRune(c.At(x, y).Rune)
		}
		for _, line := range s.Messages {
			if strings.HasPrefix(row.String(), line) {
				styles[line] = c.At(0, y).Style
			}
		}
	}
	assert.Len(t, styles, 2)
	assert.NotEqual(t, styles[s.Messages[0]], styles[s.Messages[1]])
}
