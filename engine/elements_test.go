package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
)

// A hudRig is a game of a server and a client that shows elements of the HUD.
type hudRig struct {
	*enginetest.Rig
	shown [][]*form.Element // by change
}

func newHudRig(t *testing.T, o enginetest.Options) *hudRig {
	r := new(hudRig)
	o.Both = func(cfg *engine.Config) {
		cfg.Elements = func(_ *engine.Connection, shown []*form.Element) { r.shown = append(r.shown, shown) }
	}
	r.Rig = enginetest.New(t, o)
	r.Join()
	return r
}

// at returns an element with a bar and a table of ten players.
func at(name string, value float64, ping int) form.Element {
	table := form.Row{Kind: form.Table, Choices: []string{"Ping", "Player"}}
	for i := range 10 {
		table.Cells = append(table.Cells, fmt.Sprint(ping), fmt.Sprint("Player ", i))
	}
	return form.Element{Name: name, At: 2, Rows: []form.Row{{Kind: form.Bar, Text: "Health", Value: value}, table}}
}

func (r *hudRig) show(mod, name string, value float64, ping int) error {
	return r.Peer(0).Forms().ShowElement("owner of "+mod, mod, at(name, value, ping))
}

// names returns the elements that the client shows.
func (r *hudRig) names() (list []string) {
	for _, e := range r.Clients[0].Host.Server().Forms().Elements() {
		list = append(list, e.Name)
	}
	return list
}

// TestElementsAreShown walks the life of an element, over a good line and a bad one.
func TestElementsAreShown(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := newHudRig(t, o)
		require.NoError(t, r.show("m", "state", 0.5, 40))
		require.NoError(t, r.show("other", "state", 0, 40))
		r.Run(time.Second)
		require.Equal(t, []string{"state", "state"}, r.names())
		for n := range 100 {
			require.NoError(t, r.show("m", "state", float64(n)/99, 40+n))
			r.Run(engine.TickTime)
		}
		r.Run(time.Second)
		e := r.Clients[0].Host.Server().Forms().Elements()[0]
		assert.Equal(t, []any{1.0, "139", form.Place(2)}, []any{e.Rows[0].Value, e.Rows[1].Cells[18], e.At}, "the newest has come")

		assert.True(t, r.Peer(0).Forms().HideElement("m", "state"))
		assert.False(t, r.Peer(0).Forms().HideElement("m", "state"))
		r.Run(time.Second)
		assert.Len(t, r.names(), 1)
		r.Peer(0).Forms().EndElements("owner of m")
		r.Run(time.Second)
		assert.Len(t, r.names(), 1)
		r.Peer(0).Forms().EndElements(nil)
		r.Run(time.Second)
		assert.Empty(t, r.names())
		assert.Empty(t, r.shown[len(r.shown)-1], "the program is told")
	})
}

// TestElementsCostWhatChanges counts the bytes on the wire of a bar and of a few cells that change
// each second, and of an element that is shown again as it is.
func TestElementsCostWhatChanges(t *testing.T) {
	r := newHudRig(t, enginetest.Options{})
	sent := func(each func(n int)) uint64 {
		r.Run(time.Second)
		before := r.Peer(0).Net().Stats().SentBytes
		for n := range 20 {
			each(n)
			r.Run(time.Second)
		}
		return (r.Peer(0).Net().Stats().SentBytes - before) / 20
	}
	quiet := sent(func(int) {})
	require.NoError(t, r.show("m", "state", 0, 40))
	same := sent(func(int) { require.NoError(t, r.show("m", "state", 0, 40)) })
	bar := sent(func(n int) { require.NoError(t, r.show("m", "state", float64(n)/20, 40)) })
	pings := sent(func(n int) { require.NoError(t, r.show("m", "state", 0, 40+n)) })
	t.Logf("bytes a second: %d quiet, %d the same, %d a bar, %d ten cells of twenty", quiet, same, bar, pings)
	assert.InDelta(t, quiet, same, 2)
	assert.Less(t, bar, quiet+110, "a packet of its own, and its ack")
	assert.Less(t, pings, quiet+210)
}

// TestElementsOfASlowClientDoNotQueue: of many changes, only the newest follows.
func TestElementsOfASlowClientDoNotQueue(t *testing.T) {
	r := newHudRig(t, enginetest.Options{})
	require.NoError(t, r.show("m", "state", 0, 40))
	r.Run(time.Second)
	r.Clients[0].Host.Server().Line.SetLink(engine.LinkParams{Loss: 1})
	for n := range 100 {
		require.NoError(t, r.show("m", "state", float64(n)/100, n))
		r.Run(engine.TickTime)
		require.LessOrEqual(t, r.Peer(0).Events().Queued(), 1)
	}
}

// TestElementsWaitForTheirLane: a mod that has filled its queue for a slow client with commands
// loses neither a change nor the end of an element. Both follow when there is room.
func TestElementsWaitForTheirLane(t *testing.T) {
	r := newHudRig(t, enginetest.Options{})
	require.NoError(t, r.show("m", "state", 0, 40))
	require.NoError(t, r.show("m", "over", 0, 40))
	r.Run(time.Second)
	require.Equal(t, []string{"state", "over"}, r.names())
	line := &r.Clients[0].Host.Server().Line
	line.SetLink(engine.LinkParams{Loss: 1})
	var err error
	for err == nil {
		err = r.Peer(0).Commands.Send(engine.CommandOptions{Mod: "m"}, sim.String("Say"), nil)
	}
	require.ErrorContains(t, err, "commands are waiting")
	require.NoError(t, r.show("m", "state", 1, 50))
	require.True(t, r.Peer(0).Forms().HideElement("m", "over"))
	r.Run(100 * time.Millisecond)
	line.SetLink(engine.LinkParams{})
	r.Until(time.Minute, func() bool { return len(r.names()) == 1 })
	assert.Equal(t, []string{"state"}, r.names())
	r.Until(time.Minute, func() bool { return r.Clients[0].Host.Server().Forms().Elements()[0].Rows[0].Value == 1 })
}

// TestNoModTakesAllElements fills the places of a client, with 1, 32 and 250 mods.
func TestNoModTakesAllElements(t *testing.T) {
	for _, mods := range []int{1, 32, 250} {
		r := newHudRig(t, enginetest.Options{})
		for i := range form.MaxElements {
			require.NoError(t, r.show("greedy", fmt.Sprint("e", i), 0, 0))
		}
		assert.EqualError(t, r.show("greedy", "more", 0, 0), "there are 16 HUD elements: close one first")
		require.NoError(t, r.show("greedy", "e0", 1, 0), "of a name that is shown")
		for i := range mods {
			if err := r.show(fmt.Sprint("m", i), "e", 0, 0); i < form.MaxElements-1 {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "close one first")
			}
		}
		r.Run(2 * time.Second)
		assert.Len(t, r.names(), form.MaxElements)
	}
}

// TestElementsGoOneWay: an element for a server, or a bad one for a client, ends the connection.
func TestElementsGoOneWay(t *testing.T) {
	good := at("x", 0, 0)
	good.Number = 1
	for want, c := range map[string]*form.Change{ // any order: each is a game of its own
		"goes to a client":   good.ChangeFrom(nil),
		"element 1: row 1, ": {Element: form.Element{Number: 1, Name: "x", Rows: []form.Row{{Kind: form.Button, Text: "x"}}}},
	} {
		r := newHudRig(t, enginetest.Options{})
		peer := r.Peer(0)
		from := peer
		if strings.HasPrefix(want, "goes") {
			from = r.Clients[0].Host.Server()
		}
		engine.PostElement(from, c)
		r.Run(time.Second)
		why, over := peer.Net().Closed()
		assert.True(t, over, want)
		assert.Contains(t, why.Text, want)
	}
}

// TestOnlyPlayersHaveElements: a client shows nothing to its server, and the end of the connection
// ends all.
func TestOnlyPlayersHaveElements(t *testing.T) {
	r := newHudRig(t, enginetest.Options{})
	bot, err := r.Server.AddBot("Bo")
	require.NoError(t, err)
	require.NoError(t, bot.Forms().ShowElement(1, "m", at("x", 0, 0)))
	r.Run(time.Second)
	assert.True(t, bot.Forms().HideElement("m", "x"), "it is a player like any other")
	assert.ErrorContains(t, r.Clients[0].Host.Server().Forms().ShowElement(1, "m", at("x", 0, 0)), "only a player of this server has a HUD")
	require.NoError(t, r.show("m", "x", 0, 0))
	r.Run(time.Second)
	c := r.Peer(0)
	r.Clients[0].Host.Dialer.Disconnect("")
	r.Run(time.Second)
	assert.Empty(t, r.shown[len(r.shown)-1])
	assert.ErrorContains(t, c.Forms().ShowElement(1, "m", at("x", 0, 0)), "the connection has ended")
}

// TestPicturesOfElements come as those of forms, and stay while an element names them.
func TestPicturesOfElements(t *testing.T) {
	r := newHudRig(t, enginetest.Options{})
	sword := noisy(t, 1, 30)
	e := form.Element{Name: "x", Rows: []form.Row{imageOf(sword), {Text: "one"}}}
	require.NoError(t, r.Peer(0).Forms().ShowElement(1, "m", e))
	has := func() bool {
		list := r.Clients[0].Host.Server().Forms().Elements()
		return len(list) == 1 && list[0].Rows[0].Picture != nil
	}
	r.Until(10*time.Second, has)
	e.Rows = []form.Row{imageOf(sword), {Text: "two"}}
	require.NoError(t, r.Peer(0).Forms().ShowElement(1, "m", e))
	r.Until(time.Second, func() bool { return r.Clients[0].Host.Server().Forms().Elements()[0].Rows[1].Text == "two" })
	assert.True(t, has())
}

// elementsOf returns what a client shows as text.
func elementsOf(c *engine.Connection) (list []string) {
	for _, e := range c.Forms().Elements() {
		list = append(list, e.At.String()+": "+strings.Join(e.Lines(), " / "))
	}
	return list
}

// say returns an element of a text.
func say(name, text string) form.Element {
	return form.Element{Name: name, At: 1, Rows: []form.Row{{Text: text}}}
}

// TestSpectatorsSeeElements that are for them, later than the players, also those who come later.
// They see none of a player.
func TestSpectatorsSeeElements(t *testing.T) {
	r := newStand(t, enginetest.Options{}, 1)
	join(t, r)
	r.Run(3 * time.Second)
	watcher := r.Clients[1].Host
	require.NoError(t, r.Peer(0).Forms().ShowElement(1, "m", say("own", "a secret")))
	require.NoError(t, r.Server.Demos.ShowElement(1, "m", say("score", "1 : 0")))
	require.NoError(t, r.Server.Demos.ShowElement(2, "other", say("score", "other")))
	assert.ErrorContains(t, r.Server.Demos.ShowElement(1, "m", form.Element{}), "the element's name must be")
	r.Run(500 * time.Millisecond)
	assert.Empty(t, elementsOf(watcher.Server()))
	r.Run(2 * time.Second)
	assert.Equal(t, []string{"top: 1 : 0", "top: other"}, elementsOf(watcher.Server()))
	require.NoError(t, r.Server.Demos.ShowElement(1, "m", say("score", "2 : 0")))
	r.Server.Demos.EndElements(2)
	r.Run(2 * time.Second)
	assert.Equal(t, []string{"top: 2 : 0"}, elementsOf(watcher.Server()))

	watcher.Dialer.Disconnect("to come again")
	r.Run(20 * time.Second)
	require.NoError(t, r.Clients[1].Dialer.Connect("host 1", engine.ConnectArgs{Watch: true}))
	r.Run(5 * time.Second)
	assert.Equal(t, []string{"top: 2 : 0"}, elementsOf(watcher.Server()), "it was shown long before")
	assert.True(t, r.Server.Demos.HideElement("m", "score"))
	assert.False(t, r.Server.Demos.HideElement("m", "score"))
	r.Until(20*time.Second, func() bool { return len(elementsOf(watcher.Server())) == 0 })
}

// TestRecordingsShareElements: a demo that begins changes nothing for the spectators, and
// spectators change nothing for a demo. Each has every element once.
func TestRecordingsShareElements(t *testing.T) {
	for _, first := range []bool{true, false} {
		r := newStand(t, enginetest.Options{}, 1)
		var demo *demoFile
		if first {
			r.Server.Settings.MaxWatchers = 0
			demo = recordDemo(t, r.Server.Host)
		}
		require.NoError(t, r.Server.Demos.ShowElement(1, "m", say("one", "1")))
		require.NoError(t, r.Server.Demos.ShowElement(1, "m", say("two", "2")))
		r.Run(time.Second)
		r.Server.Settings.MaxWatchers = 1
		join(t, r)
		watcher := r.Clients[1].Host
		if !first {
			r.Run(3 * time.Second)
			require.Len(t, elementsOf(watcher.Server()), 2)
		}
		r.Server.Demos.HideElement("m", "one")
		if !first {
			demo = recordDemo(t, r.Server.Host)
		}
		r.Run(5 * time.Second)
		assert.Equal(t, []string{"top: 2"}, elementsOf(watcher.Server()))
		r.Server.Demos.Stop()
		f := demo.open(t)
		p, c := stage(t, r, f)
		c.Watching.Seek(f.Last())
		p.Tick(0)
		assert.Equal(t, []string{"top: 2"}, elementsOf(c))
	}
}

// TestDemosHaveElements: a demo of a client has those that it showed, and one of a server those for
// spectators, both also after a seek and of the time before the recording.
func TestDemosHaveElements(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	mine := func(text string) { require.NoError(t, r.Peer(0).Forms().ShowElement(1, "m", say("own", text))) }
	all := func(text string) { require.NoError(t, r.Server.Demos.ShowElement(1, "m", say("all", text))) }
	mine("first")
	all("FIRST")
	r.Run(time.Second)
	for _, h := range []*engine.Host{r.Clients[0].Host, r.Server.Host} { // a demo before has them too
		recordDemo(t, h)
		r.Run(time.Second)
		h.Demos.Stop()
	}
	client, server := recordDemo(t, r.Clients[0].Host), recordDemo(t, r.Server.Host)
	r.Run(time.Second)
	for n := range 100 { // more than a recording has numbers for
		require.NoError(t, r.Peer(0).Forms().ShowElement(1, "m", say(fmt.Sprint("e", n), "x")))
		r.Run(100 * time.Millisecond)
		r.Peer(0).Forms().HideElement("m", fmt.Sprint("e", n))
	}
	r.Run(10 * time.Second)
	mine("second")
	all("SECOND")
	r.Run(time.Second)
	r.Clients[0].Demos.Stop()
	r.Server.Demos.Stop()
	for want, d := range map[string]*demoFile{"first second": client, "FIRST SECOND": server} { // any order: two files
		f := d.open(t)
		p, c := stage(t, r, f)
		assert.Empty(t, elementsOf(c))
		early, late, _ := strings.Cut(want, " ")
		c.Watching.Seek(f.First() + 10)
		p.Tick(0)
		assert.Equal(t, []string{"top: " + early}, elementsOf(c))
		c.Watching.Seek(f.Last())
		assert.Equal(t, []string{"top: " + late}, elementsOf(c))
		c.Watching.Seek(f.First() + 10)
		assert.Equal(t, []string{"top: " + early}, elementsOf(c))
	}
}
