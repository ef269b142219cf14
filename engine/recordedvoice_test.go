package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/voice"
)

// An earwitness notes the voices of a recording, and nothing else.
type earwitness struct{ heard []recording.Voice }

func (*earwitness) Reset()                                     {}
func (*earwitness) Class([]byte) error                         { return nil }
func (*earwitness) Block([]byte) error                         { return nil }
func (*earwitness) Create(uint32, int) error                   { return nil }
func (*earwitness) Group(uint32, int, *recording.Values) error { return nil }
func (*earwitness) Delete(uint32)                              {}
func (*earwitness) Command([]byte) error                       { return nil }
func (*earwitness) View(recording.View)                        {}
func (w *earwitness) Voice(v recording.Voice)                  { w.heard = append(w.heard, v) }

// voicesOf returns the voices of a demo.
func (d *demoFile) voicesOf(t *testing.T) []recording.Voice {
	t.Helper()
	f, w, p := d.open(t), new(earwitness), recording.Player{}
	for n := range f.Chunks() {
		b, err := f.Chunk(n)
		require.NoError(t, err)
		_, err = p.Write(b)
		require.NoError(t, err)
		for played := true; played; {
			played, err = p.Step(w)
			require.NoError(t, err)
		}
	}
	return w.heard
}

// byTalker counts voices by the name of the talker and the channel.
func byTalker(heard []recording.Voice) map[string]int {
	n := map[string]int{}
	for _, v := range heard {
		n[fmt.Sprint(v.Name, " on ", voice.Channel(v.Channel))]++
	}
	return n
}

// newVoiceStand has a server where the players of a line stand 4 m apart, and a spectator who is 1
// s behind. The spectator is the last of the people.
func newVoiceStand(t *testing.T, mode string, players int) (v *voiceRig, all []*enginetest.Runner) {
	v = newVoiceRig(t, mode, enginetest.Options{Clients: players + 1})
	v.Server.Settings.MaxWatchers, v.Server.Settings.WatchDelay = 1, 1
	watcher := v.Clients[players]
	watcher.Dialer.Disconnect("to watch")
	v.Run(time.Second)
	watching := v.people[players]
	v.people = v.people[:players]
	all = v.stand(4)
	require.NoError(t, watcher.Dialer.Connect("host 1", engine.ConnectArgs{Watch: true}))
	v.Run(3 * time.Second)
	v.people = append(v.people, watching)
	return v, all
}

// says lets a player talk for a second, and waits until spectators have heard it.
func (v *voiceRig) says(i int, channel voice.Channel) {
	p := v.people[i]
	p.talks, p.channel, p.reach = true, channel, voice.Talk
	v.Run(time.Second)
	p.talks = false
	v.Run(3 * time.Second)
}

// TestVoicesAreRecordedOnlyIfAllKnow: without sv.voiceDemo no demo and no spectator has voices.
// With it they have those of the channels that are for everybody, and every player is told.
func TestVoicesAreRecordedOnlyIfAllKnow(t *testing.T) {
	for _, on := range []bool{false, true} {
		v, all := newVoiceStand(t, "all", 2)
		all[0].Side, all[1].Side = 1, 1
		v.Server.Settings.VoiceDemo = on
		v.Server.Apply()
		v.Run(100 * time.Millisecond)
		for _, p := range v.people[:2] {
			last := p.rules[len(p.rules)-1]
			assert.Equal(t, []bool{on, on}, []bool{last.Recorded, last.Demos})
		}
		server, client, watcher := recordDemo(t, v.Server.Host), recordDemo(t, v.Clients[1].Host), v.people[2]
		for channel := range voice.Own {
			v.says(0, channel)
		}
		require.Len(t, v.people[1].from(), 1, "the other player")
		assert.True(t, v.Server.Demos.Stop())
		assert.True(t, v.Clients[1].Demos.Stop())
		if !on {
			assert.Empty(t, server.voicesOf(t))
			assert.Empty(t, client.voicesOf(t))
			assert.Empty(t, watcher.heard)
			continue
		}
		name := v.Peer(0).PlayerName
		for who, got := range map[string]map[string]int{"server": byTalker(server.voicesOf(t)), "spectator": voiceChannels(watcher)} {
			assert.InDelta(t, 50, got[name+" on proximity"], 3, "%s: %v", who, got)
			assert.InDelta(t, 50, got[name+" on all"], 3, "%s: %v", who, got)
			assert.Len(t, got, 2, "%s: no radio of a team", who)
		}
		own := byTalker(client.voicesOf(t))
		assert.InDelta(t, 50, own[name+" on team"], 3, "what the client has heard: %v", own)
		assert.Len(t, own, 3)
		first, heard := watcher.heard[0], v.people[1].heard[0]
		assert.Equal(t, heard.Talker.Mark, first.Talker.Mark)
		assert.Equal(t, heard.Talker.Client, first.Talker.Client)
		assert.Equal(t, heard.Data, first.Data)
		ghost, ok := v.Clients[2].World().Find(first.Talker.Object).(*enginetest.Runner)
		require.True(t, ok, "the talker's body in the world of the spectator")
		assert.Zero(t, ghost.At.X)
		assert.Contains(t, v.Server.Voices.Status().String(), ", recorded for demos and spectators")
	}
}

// voiceChannels is byTalker for what a program has heard.
func voiceChannels(p *voicePerson) map[string]int {
	n := map[string]int{}
	for _, f := range p.heard {
		n[fmt.Sprint(f.Talker.Name, " on ", f.Channel)]++
	}
	return n
}

// TestSpectatorsHearNobodyHidden: a player who is kept from a client is recorded for nobody nearby,
// and one whom the operator has muted not at all. Voices whose audience a mod chooses are in no
// recording.
func TestSpectatorsHearNobodyHidden(t *testing.T) {
	v, all := newVoiceStand(t, "all", 2)
	v.Server.Settings.VoiceDemo = true
	v.Server.Apply()
	v.Server.Rules.SetGroups(all[0], 4)
	v.Run(3 * time.Second)
	demo, watcher := recordDemo(t, v.Server.Host), v.people[2]
	v.says(0, voice.Proximity)
	assert.Empty(t, watcher.heard, "hidden")
	v.says(0, voice.All)
	require.NotEmpty(t, watcher.heard)
	assert.Zero(t, watcher.heard[0].Talker.Object)
	watcher.heard = nil
	v.may[v.Peer(0).ID()] = voice.Muted
	v.Run(time.Second)
	before := v.Server.Voices.Figures().Dropped[voice.Unheard]
	for i := range 30 {
		engine.Say(v.Clients[0].Host.Server(), voice.All, uint8(i))
		v.Run(engine.TickTime)
	}
	require.Greater(t, v.Server.Voices.Figures().Dropped[voice.Unheard], before)
	v.Run(3 * time.Second)
	assert.Empty(t, watcher.heard, "muted")
	v.may[v.Peer(0).ID()] = voice.May
	v.Server.Settings.Voice = "mod"
	v.Server.Apply()
	v.Run(time.Second)
	v.says(1, voice.All)
	assert.Empty(t, watcher.heard, "the audience of a mod")
	v.Server.Demos.Stop()
	assert.Len(t, byTalker(demo.voicesOf(t)), 2, "a demo of the server has hidden players")
}

// TestRecordingsHearFourTalkers lets seven players talk at once, also while the game is paused.
func TestRecordingsHearFourTalkers(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 7})
	v.stand(1)
	v.Server.Settings.VoiceDemo = true
	v.Server.Apply()
	v.Run(100 * time.Millisecond)
	demo := recordDemo(t, v.Server.Host)
	for _, p := range v.people {
		p.talks, p.channel = true, voice.All
	}
	v.Run(2 * time.Second)
	v.Server.Pace.Pause(true)
	v.Run(2 * time.Second)
	for _, p := range v.people {
		p.talks = false
	}
	v.Run(100 * time.Millisecond)
	v.Server.Pace.Pause(false)
	v.Run(time.Second)
	v.Server.Demos.Stop()
	heard := demo.voicesOf(t)
	assert.Len(t, byTalker(heard), 4)
	assert.InDelta(t, 4*100, len(heard), 20)
}

// TestFilmsPlayVoices plays a demo: voices come with the pictures of their time, at the normal
// speed only, and also behind a seek whose numbers go back.
func TestFilmsPlayVoices(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 1})
	v.stand(1)
	v.Server.Settings.VoiceDemo = true
	v.Server.Apply()
	v.Run(100 * time.Millisecond)
	demo := recordDemo(t, v.Server.Host)
	v.people[0].talks, v.people[0].channel = true, voice.All
	v.Run(8 * time.Second)
	v.Server.Demos.Stop()
	f := demo.open(t)
	viewer, c := stage(t, v.Rig, f)
	ear, now := v.people[len(v.people)-1], time.Duration(0)
	plays := func(ticks int) (heard int) {
		before := len(ear.heard)
		for range ticks {
			now += engine.TickTime
			viewer.Tick(now)
		}
		return len(ear.heard) - before
	}
	assert.InDelta(t, 25, plays(16), 3)
	for range 4 {
		c.Watching.Seek(c.Watching.Film().Tick() + 100) // 156 frames: a number that far ahead is one behind
		assert.InDelta(t, 50, plays(32), 3, "after a seek")
		c.Watching.Seek(f.First() + 40)
		assert.InDelta(t, 50, plays(32), 3, "after a seek back")
	}
	c.Watching.SetPace(200)
	assert.Zero(t, plays(16), "twice as fast")
	c.Watching.SetPace(100)
	assert.InDelta(t, 25, plays(16), 3)
	assert.Equal(t, v.Peer(0).PlayerName, ear.heard[0].Talker.Name)
}
