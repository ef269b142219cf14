package tui

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/scene"
)

// told holds the lines that a view has sent to its server.
type told []string

func viewOf(t *testing.T, classes ...sim.Class) (*View, *told) {
	t.Helper()
	cs := sim.NewClasses()
	require.NoError(t, engine.Register(cs))
	for _, c := range classes {
		require.NoError(t, cs.Register(c))
	}
	var sent told
	host := engine.NewHost(engine.Config{Classes: cs, Entropy: rand.Reader})
	v := New(func() *engine.Host { return host }, func(command string, args ...sim.Value) {
		sent = append(sent, command+" "+args[0].Text())
	})
	v.Show(&Screen{events: make(chan InputEvent)})
	return v, &sent
}

// types types characters into a view. It reports whether one of them leaves the view.
func (v *View) types(text string) (leave bool) {
	for _, r := range text {
		leave = v.Handle(InputEvent{Rune: r}, 0) || leave
	}
	return leave
}

func TestServerKeys(t *testing.T) {
	v, sent := viewOf(t)
	assert.False(t, v.types("eg19lzq"))
	v.Handle(InputEvent{Key: F2}, 0)
	v.Handle(InputEvent{Key: F3}, 0)
	assert.Equal(t, told{"Key use", "Key drop", "Key slot1", "Key slot9", "Key loadout", "Key vote yes", "Key vote no"}, *sent)
}

func TestChat(t *testing.T) {
	v, sent := viewOf(t)
	v.types("thi w1`\x1b")
	v.Handle(InputEvent{Rune: 'é'}, 0)
	v.Handle(InputEvent{Key: Backspace}, 0)
	assert.Equal(t, "hi w1`", v.scene.Input, "what moves and leaves is text now")
	assert.Equal(t, sim.Move{}, v.hands.Move(0, 0, 0))
	assert.False(t, v.Handle(InputEvent{Key: Enter}, 0))
	v.types("yto us")
	v.Handle(InputEvent{Key: Enter}, 0)
	v.types("tnothing")
	assert.False(t, v.Handle(InputEvent{Key: Escape}, 0), "only the line is left")
	v.types("t")
	v.Handle(InputEvent{Key: Enter}, 0)
	assert.Equal(t, told{"MessageSent hi w1`", "TeamMessageSent to us"}, *sent)

	v.types("t" + strings.Repeat("日", 100))
	assert.LessOrEqual(t, len(v.scene.Input), maxInput)
	v.Handle(InputEvent{Key: Clear}, 0)
	v.Handle(InputEvent{Key: Backspace}, 0)
	assert.Empty(t, v.scene.Input)
}

func TestPasteIsNotKeys(t *testing.T) {
	v, sent := viewOf(t)
	v.Handle(InputEvent{Paste: PasteBegin}, 0)
	assert.False(t, v.types("wasd1`t"))
	assert.False(t, v.Handle(InputEvent{Key: Escape}, 0))
	v.Handle(InputEvent{Paste: PasteEnd}, 0)
	assert.Empty(t, *sent)
	assert.Equal(t, sim.Move{}, v.hands.Move(0, 0, 0))
	v.types("t")
	v.Handle(InputEvent{Paste: PasteBegin}, 0)
	v.types("two")
	v.Handle(InputEvent{Key: Enter}, 0)
	v.types("lines")
	v.Handle(InputEvent{Paste: PasteEnd}, 0)
	assert.Equal(t, "two lines", v.scene.Input)
	v.Handle(InputEvent{Key: Enter}, 0)
	assert.Equal(t, told{"MessageSent two lines"}, *sent)
}

// TestSuspendedViewKeepsTheTypedLine: Ctrl-Z suspends in any mode but a paste, and the line stays.
func TestSuspendedViewKeepsTheTypedLine(t *testing.T) {
	v, _ := viewOf(t)
	assert.True(t, v.Suspends(InputEvent{Key: Suspend}))
	assert.False(t, v.Suspends(InputEvent{Rune: 'z'}))
	v.types("wtwait")
	assert.True(t, v.Suspends(InputEvent{Key: Suspend}))
	v.Handle(InputEvent{Paste: PasteBegin}, 0)
	assert.False(t, v.Suspends(InputEvent{Key: Suspend}))
	v.Handle(InputEvent{Key: Suspend}, 0)
	v.Handle(InputEvent{Paste: PasteEnd}, 0)

	s := v.Detach()
	assert.False(t, v.Shown())
	assert.Equal(t, sim.Move{}, v.hands.Move(0, 0, 0), "nothing is held any more")
	v.Show(s)
	assert.Equal(t, "wait", v.scene.Input)
	assert.True(t, v.scene.Typing)
}

func TestEscapeOpensConsole(t *testing.T) {
	v, _ := viewOf(t)
	for _, e := range []InputEvent{{Key: Escape}, {Key: F1}, {Key: Interrupt}, {Rune: '`'}} {
		assert.True(t, v.Handle(e, 0), "%+v", e)
	}
	for _, e := range []InputEvent{{Key: Tab}, {Key: Enter}, {Key: Redraw}, {Rune: 'w'}, {Mouse: Mouse{On: true}}} {
		assert.False(t, v.Handle(e, 0), "%+v", e)
	}
	v.Handle(InputEvent{Rune: 'r'}, 0)
	v.Hide()
	assert.Equal(t, sim.Move{}, v.hands.Move(0, 0, 0), "nothing is held any more")
	assert.False(t, v.Shown())
	assert.Nil(t, v.Events())
}

// TestLineIsShown: the view shows the quality of the line, and what is wrong with it.
func TestLineIsShown(t *testing.T) {
	v, _ := viewOf(t)
	var c Frame
	v.Draw(&c, 60, 12, 0, 0)
	assert.Equal(t, -1, v.scene.Bars, "nobody knows")
	v.Line = func() (int, string) { return 2, "the server is busy,\x1b[2J waiting" }
	v.Draw(&c, 60, 12, 0, 0)
	assert.Equal(t, 2, v.scene.Bars)
	assert.Contains(t, c.String(), "the server is busy,[2J waiting")
}

func TestTogglesAndScale(t *testing.T) {
	v, sent := viewOf(t)
	v.Handle(InputEvent{Key: Tab}, 0)
	v.types("?")
	assert.Equal(t, told{"Key scores"}, *sent)
	assert.True(t, v.scene.Scores && v.scene.Help)
	v.types("----------")
	assert.Equal(t, 16.0, scales[v.scale])
	v.types("++++++++++")
	assert.Equal(t, 0.25, scales[v.scale])
	v.Handle(InputEvent{Mouse: Mouse{On: true, Away: true}}, 0)
	assert.Equal(t, 0.5, scales[v.scale])
}

func TestShiftHoldsTheJets(t *testing.T) {
	v, _ := viewOf(t)
	v.types("W")
	assert.Equal(t, sim.Move{Y: 16, Triggers: 1 << sim.JetTrigger}, v.hands.Move(0, 0, 0))
}

func TestMessagesAgeAndAreBounded(t *testing.T) {
	v, _ := viewOf(t)
	v.Print("a\x1b[2J\nb")
	assert.Equal(t, []string{"a[2J", "b"}, v.news(nil, 0))
	assert.Empty(t, v.news(nil, messageFor))
	v.scene.Typing = true
	assert.Len(t, v.news(nil, messageFor), 2, "who answers sees what was said")
	for range 100 {
		v.Print("c")
	}
	assert.Len(t, v.news(nil, messageFor), maxShown)
	v.Show(v.screen)
	assert.Empty(t, v.news(nil, 0), "what was printed before the view is at the prompt")
}

// TestNoticeIsABox: what the program says is a box and no message. It waits for the view, breaks long
// lines, and goes by Escape or after a minute.
func TestNoticeIsABox(t *testing.T) {
	v, sent := viewOf(t)
	var c Frame
	drawn := func(now time.Duration) string {
		v.Draw(&c, 32, 20, now, 0)
		return c.String()
	}
	screen := v.Hide()
	v.Notice("Play in a browser:\nhttp://127.0.0.1:28000/#0123456789abcdef")
	v.Show(screen)
	assert.Regexp(t, `(?m)^ Play in a browser:\n http://127.0.0.1:28000/#012345\n 6789abcdef\n Esc  close`, drawn(time.Hour))
	assert.Empty(t, v.news(nil, time.Hour), "it is no message")
	assert.False(t, v.Handle(InputEvent{Key: Escape}, 0))
	assert.NotContains(t, drawn(time.Hour), "Play in")
	assert.Empty(t, *sent, "the server knows nothing of a notice")

	v.Notice("later")
	assert.Contains(t, drawn(2*time.Hour), "later")
	assert.Contains(t, drawn(2*time.Hour+noticeFor-1), "later")
	assert.NotContains(t, drawn(2*time.Hour+noticeFor), "later")
	assert.True(t, v.Handle(InputEvent{Key: Escape}, 0))
}

// TestFurtherLinesOfAMessageAreMarked: a text within a message looks like no other message.
func TestFurtherLinesOfAMessageAreMarked(t *testing.T) {
	v, _ := viewOf(t)
	v.Message("MsgChat", "Bob: hi\n*** admin: hello")
	assert.Equal(t, []string{"Bob: hi", "│ *** admin: hello"}, v.news(nil, 0))
}

// TestMessagesCoverNeitherMapNorScores: messages have rows of their own, and nothing of the map is there.
func TestMessagesCoverNeitherMapNorScores(t *testing.T) {
	v, _ := viewOf(t)
	v.scene.Hud[1] = "Red 1 : 0 Blue"
	v.scene.Hud[topLines], v.scene.Hud[topLines+1], v.scene.Scores = "score  kills", "7  2  Bob", true
	for height := range 60 {
		var quiet, busy Frame
		v.Draw(&quiet, 80, height, 0, 0)
		for range 2 * maxShown {
			v.Print(strings.Repeat("from afar ", 6) + "somebody joined")
		}
		v.Draw(&busy, 80, height, 0, 0)
		before, after := strings.Split(quiet.String(), "\n"), strings.Split(busy.String(), "\n")
		rows := v.scene.mapRows()
		assert.Equal(t, before[:rows], after[:rows], "height %d", height)
		assert.LessOrEqual(t, strings.Count(busy.String(), "somebody joined"), height/5)
		v.Show(v.screen)
	}
}

// TestTextsHaveSeveralRows: a line end in a text of the server begins a row, everywhere.
func TestTextsHaveSeveralRows(t *testing.T) {
	v, _ := viewOf(t)
	for n, text := range map[int]string{1: "one\ntwo", 2: "three", 15: "left\nright", 16: "up\ndown", 4: "score", 5: "Ann\nBob", 6: "Zoe"} {
		v.SetHud(n, text)
	}
	v.Line = func() (int, string) { return 1, "disconnected:\nkicked" }
	var c Frame
	v.Draw(&c, 40, 24, 0, 0)
	rows := strings.Split(c.String(), "\n")
	row := func(text string) int {
		for y, r := range rows {
			if strings.Contains(r, text) {
				return y
			}
		}
		return -1
	}
	assert.Equal(t, []int{0, 1, 2}, []int{row("one"), row("two"), row("three")})
	for _, pair := range [][2]string{{"left", "right"}, {"up", "down"}, {"disconnected:", "kicked"}} {
		assert.NotEqual(t, -1, row(pair[0]), pair)
		assert.Equal(t, row(pair[0])+1, row(pair[1]), pair)
	}
	assert.Less(t, row("kicked"), row("left"))
	assert.Less(t, row("down"), v.scene.mapRows())
	v.scene.Scores = true
	v.Draw(&c, 40, 24, 0, 0)
	rows = strings.Split(c.String(), "\n")
	assert.Equal(t, []int{row("score") + 1, row("score") + 2, row("score") + 3}, []int{row("Ann"), row("Bob"), row("Zoe")})
}

// TestScoresAreATable: the columns of the scores begin below each other, also after wide characters.
func TestScoresAreATable(t *testing.T) {
	for name, c := range map[string]struct{ lines, want []string }{
		"numbers":        {[]string{"score  kills  player", "7  2  Bob", "-12  100  Ann"}, []string{"score  kills  player", "7      2      Bob", "-12    100    Ann"}},
		"wide names":     {[]string{"player  team", "日本  Red", "Zoë  Blue"}, []string{"player  team", "日本    Red", "Zoë     Blue"}},
		"several blanks": {[]string{"score   player", "7          Bob"}, []string{"score  player", "7      Bob"}},
		"a name":         {[]string{"score  player", "7  Bob  the   second"}, []string{"score  player", "7      Bob  the   second"}},
		"a sentence":     {[]string{"score  player", "the match is over, congratulations", "7  Bob"}, []string{"score  player", "the match is over, congratulations", "7      Bob"}},
		"no heading":     {[]string{"best", "100  Bob", "7  Ann  red"}, []string{"best", "100  Bob", "7    Ann  red"}},
		"no columns":     {[]string{"one", "two"}, []string{"one", "two"}},
		"nothing":        {nil, nil},
	} {
		alignColumns(c.lines)
		assert.Equal(t, c.want, c.lines, name)
	}
	v, _ := viewOf(t)
	v.SetHud(4, "score  player")
	v.SetHud(5, "12345678  Bob")
	v.scene.Scores = true
	var c Frame
	v.Draw(&c, 40, 24, 0, 0)
	assert.Contains(t, c.String(), " score     player\n")
	assert.Contains(t, c.String(), " 12345678  Bob\n")
}

func TestHudLines(t *testing.T) {
	v, _ := viewOf(t)
	v.SetHud(1, "Red\x1b 1")
	for _, line := range []int{0, -1, 17, 1 << 30} {
		assert.NotPanics(t, func() { v.SetHud(line, "x") })
	}
	assert.Equal(t, "Red 1", v.scene.Hud[1])
}

// hull is similar to the classes of a game.
type hull struct {
	sim.NetObject
	at             sim.Place
	block          sim.BlockRef
	team           int
	name           string
	mount          sim.ID
	damage, energy float64
	gone           bool
	size           sim.Vec3
}

func (h *hull) Place() sim.Place { return h.at }

type hullData struct {
	sim.Block
	damage, energy, reach float64
}

// hulls returns classes with the names and fields of the game's classes that the view draws.
func hulls() []sim.Class {
	one := func(name, parent string) sim.Class {
		return sim.Class{Name: name, Parent: parent, Kind: sim.NetClass, New: func() sim.Object { return new(hull) }}
	}
	base := one("ShapeBase", "NetObject")
	base.Fields = []sim.Field{
		sim.BlockField("dataBlock", 0, "HullData", func(h *hull) *sim.BlockRef { return &h.block }),
		sim.IntField("team", 1, 0, 15, func(h *hull) *int { return &h.team }),
		sim.TextField("shapeName", 2, 24, func(h *hull) *string { return &h.name }),
		sim.RefField("mount", 3, "ShapeBase", func(h *hull) *sim.ID { return &h.mount }),
		sim.FloatField("damageLevel", 4, 0, 1e6, func(h *hull) *float64 { return &h.damage }),
		sim.FloatField("energy", 5, 0, 1e6, func(h *hull) *float64 { return &h.energy }),
		sim.BoolField("exploded", 6, func(h *hull) *bool { return &h.gone }),
		sim.VecField("size", 7, 1e6, func(h *hull) *sim.Vec3 { return &h.size }),
	}
	data := sim.Class{Name: "HullData", Parent: "SimDataBlock", Kind: sim.BlockClass, New: func() sim.Object { return new(hullData) }, Fields: []sim.Field{
		sim.FloatField("maxDamage", 0, 0, 1e6, func(d *hullData) *float64 { return &d.damage }),
		sim.FloatField("maxEnergy", 0, 0, 1e6, func(d *hullData) *float64 { return &d.energy }),
		sim.FloatField("damageRadius", 0, 0, 1e6, func(d *hullData) *float64 { return &d.reach }),
	}}
	all := []sim.Class{data, base}
	for _, name := range []string{"Player", "Vehicle", "Turret", "Item", "StaticShape", "Projectile", "Box", "Marker"} {
		all = append(all, one(name, "ShapeBase"))
	}
	return append(all, one("Flag", "Item"), one("Medic", "Player"))
}

func (v *View) adds(t *testing.T, class string, block sim.Object, change func(h *hull)) *hull {
	t.Helper()
	w := v.host().World()
	o, err := w.New(class, func(o sim.Object) error {
		f, err := o.Ident().Class().Field("dataBlock")
		require.NoError(t, err)
		require.NoError(t, f.Set(o, sim.Handle(block.Ident().ID())))
		change(o.(*hull))
		return nil
	})
	require.NoError(t, err)
	return o.(*hull)
}

func TestSurvey(t *testing.T) {
	v, _ := viewOf(t, hulls()...)
	w := v.host().World()
	block, _, err := w.Blocks.Declare("HullData", "Hull", "", func(o sim.Object) error {
		*o.(*hullData) = hullData{Block: o.(*hullData).Block, damage: 100, energy: 50, reach: 8}
		return nil
	})
	require.NoError(t, err)
	ride := v.adds(t, "Vehicle", block, func(h *hull) { h.damage = 75 })
	own := v.adds(t, "Medic", block, func(h *hull) {
		h.at.Position, h.at.Rotation.Yaw, h.team, h.damage, h.energy = sim.Vec3{X: 5}, 90, 3, 40, 25
		h.name, h.mount = "Me\x1b", ride.ID()
	})
	v.adds(t, "Player", block, func(h *hull) { h.mount = ride.ID() })
	v.adds(t, "Player", block, func(h *hull) { h.damage = 100 })
	v.adds(t, "Marker", block, func(h *hull) {})
	v.adds(t, "Flag", block, func(h *hull) { h.team = 2 })
	shot := v.adds(t, "Projectile", block, func(h *hull) { h.gone = true })

	var s Scene
	v.survey.look(&s, own, 0, 0)
	assert.Equal(t, Body{Known: true, At: sim.Vec3{X: 5}, Yaw: 90, Health: 0.6, Energy: 0.5, Ride: 0.25, Team: 3}, s.Body)
	assert.Equal(t, sim.Vec3{X: 5}, s.Centre)
	var seen []scene.Kind
	for _, thing := range s.Things {
		seen = append(seen, thing.Kind)
	}
	assert.Equal(t, []scene.Kind{scene.Ride, scene.Person, scene.Person, scene.Banner, scene.Burst}, seen, "who sits in something is seen as that")
	assert.Equal(t, "Me", s.Things[1].Name)
	assert.True(t, s.Things[1].Own && !s.Things[1].Down && s.Things[2].Down)
	assert.Equal(t, 2, s.Things[3].Team)

	v.survey.look(&s, own, 0, scene.BurstTime/2)
	assert.Equal(t, 4.0, s.Things[4].Size.X, "half of the way of a burst of 8 m")
	v.survey.look(&s, own, 0, scene.BurstTime)
	assert.Len(t, s.Things, 4, "it is over")
	require.NoError(t, w.Delete(shot))
	v.survey.look(&s, nil, 0, scene.BurstTime)
	assert.Equal(t, Body{Health: -1, Energy: -1, Ride: -1}, s.Body)
	assert.Equal(t, sim.Vec3{X: 5}, s.Centre, "the view stays where it was")
}

func TestMouseAimsAtNearObjects(t *testing.T) {
	v, _ := viewOf(t)
	s := &v.scene
	s.Width, s.Height, s.Scale = 80, 24, 1
	s.Things = []Marker{{Kind: scene.Person, At: sim.Vec3{X: 20.5, Y: 5, Z: 9}}, {Kind: scene.Shot, At: sim.Vec3{X: -20}}}
	v.Handle(InputEvent{Mouse: Mouse{On: true, X: 60, Y: 7, Fire: true}}, 0)
	assert.Equal(t, sim.Vec3{X: 20.5, Y: 5, Z: 10}, v.target(sim.Vec3{Z: 3}))
	v.Handle(InputEvent{Mouse: Mouse{On: true, X: 20, Y: 9}}, 0)
	assert.Equal(t, sim.Vec3{X: -19.5, Y: 1, Z: 4}, v.target(sim.Vec3{Z: 3}), "nobody aims at a shot")
	s.Ground = func(x, y float64) float64 { return x }
	assert.Equal(t, -18.5, v.target(sim.Vec3{Z: 3}).Z)
}

func TestFrameAllocations(t *testing.T) {
	v, _ := viewOf(t, hulls()...)
	block, _, err := v.host().World().Blocks.Declare("HullData", "Hull", "", nil)
	require.NoError(t, err)
	for i := range 100 {
		v.adds(t, "Player", block, func(h *hull) { h.at.Position.X, h.name = float64(i), "player" })
	}
	v.screen.free, v.screen.frames = make(chan *Frame, 1), make(chan *Frame, 1)
	v.screen.free <- new(Frame)
	v.screen.size.Store(120<<32 | 40)
	now := time.Duration(0)
	frame := func() {
		now += FrameInterval
		v.Frame(now, 0.5)
		v.screen.free <- <-v.screen.frames
	}
	frame()
	assert.LessOrEqual(t, testing.AllocsPerRun(50, frame), 10.0)
}

func TestNoFramesWithoutView(t *testing.T) {
	v, _ := viewOf(t)
	v.screen.free, v.screen.frames = make(chan *Frame, 1), make(chan *Frame, 1)
	v.screen.free <- new(Frame)
	v.Frame(0, 0)
	require.Len(t, v.screen.frames, 1)
	assert.NotPanics(t, func() { v.Frame(time.Hour, 0) }, "the painter is still at the first one")
	require.Len(t, v.screen.frames, 1)
	assert.GreaterOrEqual(t, v.Due(), time.Hour+FrameInterval/2)
	v.screen.free <- <-v.screen.frames
	v.Frame(time.Hour+FrameInterval/4, 0)
	assert.Empty(t, v.screen.frames, "it is not yet time")
}

// TestTheHelpListsTheKeysOfMods only while it is open.
func TestTheHelpListsTheKeysOfMods(t *testing.T) {
	v, _ := viewOf(t)
	v.binds = func() []engine.Bind {
		return []engine.Bind{{Mod: "m", Name: "inventory", Key: 8, Text: "open the \ninventory"}}
	}
	var c Frame
	v.Draw(&c, 80, 30, 0, 0)
	assert.NotContains(t, c.String(), "bind inventory")
	v.types("?")
	v.Draw(&c, 80, 30, 0, 0)
	assert.Contains(t, c.String(), "bind inventory open the  inventory")
}
