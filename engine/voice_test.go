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
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// voiceRig is a server with players whose programs talk and listen.
type voiceRig struct {
	*enginetest.Rig
	people []*voicePerson // the server has one too, that is silent
	may    map[sim.ID]voice.Permit
}

// voicePerson is the program of a client.
type voicePerson struct {
	talks   bool
	channel voice.Channel
	reach   voice.Range
	size    int
	frames  int // said
	due     int // frames times 20, against ticks times 32
	heard   []engine.VoiceFrame
	rules   []engine.VoiceRules
}

// speak says as many frames as 32 ms have.
func (p *voicePerson) speak() (out []engine.Speech) {
	p.due += engine.TickMs
	for ; p.due >= 20; p.due -= 20 {
		if !p.talks {
			continue
		}
		data := make([]byte, p.size)
		data[0] = 9 << 3
		p.frames++
		out = append(out, engine.Speech{Channel: p.channel, Range: p.reach, Data: data})
	}
	return out
}

// from counts the heard frames of each talker by name.
func (p *voicePerson) from() map[string]int {
	n := map[string]int{}
	for _, f := range p.heard {
		n[f.Talker.Name]++
	}
	return n
}

func newVoiceRig(t testing.TB, mode string, o enginetest.Options) *voiceRig {
	v := &voiceRig{may: map[sim.ID]voice.Permit{}}
	o.Both = func(cfg *engine.Config) {
		p := &voicePerson{size: 60}
		v.people = append(v.people, p)
		cfg.Speak = p.speak
		cfg.Heard = func(f engine.VoiceFrame) {
			f.Data = append([]byte(nil), f.Data...)
			p.heard = append(p.heard, f)
		}
		cfg.VoiceRules = func(_ *engine.Connection, r engine.VoiceRules) { p.rules = append(p.rules, r) }
		cfg.MayTalk = func(c *engine.Connection) voice.Permit { return v.may[c.ID()] }
	}
	v.Rig = enginetest.New(t, o)
	v.Server.Settings.Voice = mode
	v.Server.Apply()
	v.Join()
	v.people = v.people[1:]
	return v
}

// stand gives each player a runner, in a line with so many metres between them.
func (v *voiceRig) stand(metres float64) (all []*enginetest.Runner) {
	for i := range v.people {
		o := new(enginetest.Runner)
		o.PutTo(sim.Vec3{X: float64(i) * metres})
		v.Server.World().Add(o)
		require.NoError(v.T, v.Peer(i).Control.Set(o))
		all = append(all, o)
	}
	v.Run(time.Second)
	return all
}

// listens lets player i talk for a time, and returns who has heard what share of it.
func (v *voiceRig) listens(i int, channel voice.Channel, reach voice.Range) (who []int) {
	p := v.people[i]
	p.talks, p.channel, p.reach = true, channel, reach
	said := p.frames
	for _, other := range v.people {
		other.heard = nil
	}
	v.Run(time.Second)
	p.talks = false
	v.Run(200 * time.Millisecond)
	for k, other := range v.people {
		if n := len(other.heard); n > 0 {
			who = append(who, k)
			require.GreaterOrEqual(v.T, n, (p.frames-said)*95/100, "player %d", k)
		}
	}
	return who
}

// TestVoiceReachesThoseInRange checks the audience of each channel and range. A bot is there, too:
// it has no line, and hears nothing.
func TestVoiceReachesThoseInRange(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 6})
	_, err := v.Server.AddBot("Robby")
	require.NoError(t, err)
	all := v.stand(4.5) // from 0 to 22.5 m
	all[0].Side, all[3].Side, all[5].Side, all[1].Side = 1, 1, 1, 2
	v.Run(time.Second)
	assert.Empty(t, v.listens(0, voice.Proximity, voice.Whisper), "4 m")
	assert.Equal(t, []int{1, 2}, v.listens(0, voice.Proximity, voice.Talk), "10 m")
	assert.Equal(t, []int{1, 2, 3, 4}, v.listens(0, voice.Proximity, voice.Shout), "20 m")
	assert.Equal(t, []int{3, 5}, v.listens(0, voice.Team, voice.Talk))
	assert.Empty(t, v.listens(2, voice.Team, voice.Talk), "a player without a team")
	assert.Equal(t, []int{1, 2, 3, 4, 5}, v.listens(0, voice.All, voice.Talk))
	assert.Empty(t, v.listens(0, voice.Own, voice.Talk), "no mod decides")
}

// TestVoiceModes checks which channels a mode opens, and that off says nothing to anybody.
func TestVoiceModes(t *testing.T) {
	for mode, want := range map[string][]int{"off": nil, "proximity": {0}, "team": {0, 1}, "all": {0, 1, 2}} {
		v := newVoiceRig(t, mode, enginetest.Options{Clients: 2})
		for _, o := range v.stand(1) {
			o.Side = 1
		}
		v.Run(time.Second)
		var got []int
		for channel := range voice.Channels {
			if len(v.listens(0, channel, voice.Talk)) > 0 {
				got = append(got, int(channel))
			}
		}
		assert.Equal(t, want, got, mode)
		if mode == "off" {
			assert.Empty(t, v.people[0].rules)
			assert.Zero(t, v.Server.Voices.Figures())
			continue
		}
		require.Len(t, v.people[0].rules, 1)
		assert.Equal(t, engine.VoiceRules{Mode: voice.ModeOf(mode), Channels: voice.ModeOf(mode).Allowed()}, v.people[0].rules[0])
		v.Server.Settings.Voice = "off"
		v.Server.Apply()
		assert.Empty(t, v.listens(0, voice.Proximity, voice.Talk))
		assert.Equal(t, engine.VoiceRules{}, v.people[0].rules[1])
	}
}

// TestHiddenPlayersAreNotHeard hides a talker from one of two listeners.
func TestHiddenPlayersAreNotHeard(t *testing.T) {
	v := newVoiceRig(t, "proximity", enginetest.Options{Clients: 3})
	all := v.stand(1)
	v.Server.Hide = func(o sim.Object, c *engine.Connection) bool { return o == sim.Object(all[0]) && c == v.Peer(1) }
	v.Run(2 * time.Second)
	assert.Equal(t, []int{2}, v.listens(0, voice.Proximity, voice.Talk))
}

// TestTalkersAreKnown checks name, mark and ghost of a talker, also after a change.
func TestTalkersAreKnown(t *testing.T) {
	v := newVoiceRig(t, "proximity", enginetest.Options{Clients: 2})
	v.stand(1)
	v.listens(0, voice.Proximity, voice.Talk)
	first := v.people[1].heard[0].Talker
	assert.Equal(t, v.Peer(0).ID(), first.Client)
	assert.Equal(t, v.Peer(0).PlayerName, first.Name)
	assert.Equal(t, seal.MarkOf(v.Server.Identity().Public, v.Clients[0].Identity().Public), first.Mark)
	ghost := v.Clients[1].World().Find(first.Object)
	require.NotNil(t, ghost)
	assert.Zero(t, ghost.(*enginetest.Runner).At.X)
	v.Peer(0).PlayerName = strings.Repeat("n", 300)
	o := new(enginetest.Runner)
	o.PutTo(sim.Vec3{X: 3})
	v.Server.World().Add(o)
	require.NoError(t, v.Peer(0).Control.Set(o))
	v.Run(time.Second)
	v.listens(0, voice.Proximity, voice.Talk)
	last := v.people[1].heard[len(v.people[1].heard)-1].Talker
	assert.Equal(t, strings.Repeat("n", 256), last.Name)
	assert.Equal(t, []any{first.Number, first.Mark}, []any{last.Number, last.Mark})
	assert.Equal(t, 3.0, v.Clients[1].World().Find(last.Object).(*enginetest.Runner).At.X)
}

// TestFramesKeepTheirOrder checks numbers and data at a listener.
func TestFramesKeepTheirOrder(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 2})
	v.people[0].talks, v.people[0].size = true, voice.MaxFrame
	v.people[0].channel = voice.All
	v.Run(time.Second)
	heard := v.people[1].heard
	assert.InDelta(t, 10+25, len(heard), 2, "the burst, and 4 kB/s of 160 bytes")
	for i := 1; i < len(heard); i++ {
		assert.Greater(t, heard[i].Number, heard[i-1].Number)
		assert.Len(t, heard[i].Data, voice.MaxFrame)
	}
	assert.NotZero(t, v.Server.Voices.Figures().Dropped[voice.OverBudget])
}

// TestFramesOfATickShareAnEvent: five frames in three ticks are three events for the listener.
// Frames that do not fit into one packet are alone.
func TestFramesOfATickShareAnEvent(t *testing.T) {
	for size, want := range map[int]int{60: 31, voice.MaxFrame/2 + 1: 50} {
		v := newVoiceRig(t, "all", enginetest.Options{Clients: 2})
		v.people[0].talks, v.people[0].channel, v.people[0].size = true, voice.All, size
		v.Run(time.Second)
		frames, events := len(v.people[1].heard), engine.ReceivedEvents(v.Clients[1].Host.Server())
		v.Run(time.Second)
		assert.InDelta(t, 50, len(v.people[1].heard)-frames, 3)
		assert.InDelta(t, want, engine.ReceivedEvents(v.Clients[1].Host.Server())-events, 3, "%d bytes", size)
	}
}

// TestLostFramesAreRepeated has 5 % of loss in both directions: at least 985 of 1,000 frames are
// heard. The packets of two ticks must be lost for one to be missing.
func TestLostFramesAreRepeated(t *testing.T) {
	line := netcore.LinkParams{Delay: 20 * time.Millisecond, Loss: 0.05}
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 2, Seed: 3, Up: line, Down: line})
	v.stand(1)
	p := v.people[0]
	p.talks, p.channel = true, voice.All
	v.Run(3 * time.Second) // until both sides know of the loss
	said, heard := p.frames, len(v.people[1].heard)
	v.Run(20 * time.Second)
	assert.GreaterOrEqual(t, len(v.people[1].heard)-heard, (p.frames-said)*985/1000)
	sent := v.Server.Voices.Figures()
	assert.Greater(t, sent.SentBytes, sent.Sent*60*3/2, "frames go twice")
}

// TestMutedAndRolelessPlayersAreSilent checks the permits, and that the client is told within a
// second.
func TestMutedAndRolelessPlayersAreSilent(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 2})
	assert.Equal(t, []int{1}, v.listens(0, voice.All, voice.Talk))
	for _, permit := range []voice.Permit{voice.Muted, voice.Roleless} {
		v.may[v.Peer(0).ID()] = permit
		v.Run(1100 * time.Millisecond)
		assert.Empty(t, v.listens(0, voice.All, voice.Talk))
		assert.Equal(t, engine.VoiceRules{Mode: voice.Public, Permit: permit}, v.people[0].rules[len(v.people[0].rules)-1])
		v.may[v.Peer(0).ID()] = voice.May
		v.Run(1100 * time.Millisecond)
		assert.Equal(t, []int{1}, v.listens(0, voice.All, voice.Talk))
	}
	insists := func() int {
		before := len(v.people[1].heard)
		for i := range 40 {
			engine.Say(v.Clients[0].Host.Server(), voice.All, v.people[1].heard[before-1].Number+uint8(i)+1)
			v.Run(engine.TickTime)
		}
		return len(v.people[1].heard) - before
	}
	assert.InDelta(t, 40, insists(), 2)
	for n := range 8 { // however long ago the server has looked for listeners
		v.may[v.Peer(0).ID()] = voice.May
		v.Run(time.Duration(n) * engine.TickTime)
		assert.NotZero(t, insists())
		v.may[v.Peer(0).ID()] = voice.Muted
		v.Run(3 * engine.TickTime)
		assert.Zero(t, insists(), "the client goes on, and nobody hears it")
	}
}

// TestJournalKeepsVoiceOff checks that nothing is recorded unless the operator says so, and that
// then every player is told.
func TestJournalKeepsVoiceOff(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 2, Server: func(c *engine.Config) { c.Journaled = true }})
	assert.Empty(t, v.listens(0, voice.All, voice.Talk))
	assert.Empty(t, v.people[0].rules)
	v.Server.Settings.VoiceJournal = true
	v.Server.Apply()
	v.Run(100 * time.Millisecond)
	assert.Equal(t, []int{1}, v.listens(0, voice.All, voice.Talk))
	assert.Equal(t, []engine.VoiceRules{{Mode: voice.Public, Channels: 7, Recorded: true}}, v.people[1].rules)
}

// TestModsDecideWhoHears checks Scripts.VoiceAudience: it is asked at most once in eight ticks, and
// ids that are nobody's, the talker's own and repeated ones are ignored.
func TestModsDecideWhoHears(t *testing.T) {
	v := newVoiceRig(t, "mod", enginetest.Options{Clients: 3})
	asked := map[string]int{}
	v.Server.SetScripts(&voiceScripts{v.Server.Story, func(c *engine.Connection, channel string) []sim.ID {
		asked[channel]++
		return []sim.ID{v.Peer(2).ID(), 12345, c.ID(), v.Peer(2).ID()}
	}})
	for channel := range voice.Channels {
		assert.Equal(t, []int{2}, v.listens(0, channel, voice.Whisper))
	}
	assert.Len(t, asked, 4)
	for name, n := range asked {
		assert.InDelta(t, 4, n, 2, name)
	}
	assert.Len(t, v.people[2].heard, len(v.people[2].from())*v.people[2].from()[v.Peer(0).PlayerName], "each frame once")
}

type voiceScripts struct {
	*enginetest.Story
	audience func(c *engine.Connection, channel string) []sim.ID
}

func (s *voiceScripts) VoiceAudience(c *engine.Connection, channel string) []sim.ID {
	return s.audience(c, channel)
}

// TestFourTalkersAtATime lets nine players of one room talk. Each of them hears four.
func TestFourTalkersAtATime(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 10})
	v.stand(2)
	for _, p := range v.people[1:] {
		p.talks, p.reach = true, voice.Shout
	}
	v.Run(2 * time.Second)
	got := v.people[0].from()
	for i := 1; i <= 4; i++ {
		assert.Greater(t, got[v.Peer(i).PlayerName], 80, "player %d of %v", i, got)
	}
	assert.LessOrEqual(t, len(v.people[0].heard), v.people[1].frames*41/10)
	assert.NotZero(t, v.Server.Voices.Figures().Dropped[voice.Crowded])
}

// TestVoiceWithoutUse checks that a server without voice has no state of it.
func TestVoiceWithoutUse(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	r.Run(time.Second)
	assert.False(t, engine.HasVoice(r.Peer(0)))
	assert.False(t, engine.HasVoice(r.Clients[0].Host.Server()))
	assert.Zero(t, testing.AllocsPerRun(100, func() { engine.TalkStep(r.Server.Host) }))
}

// TestPausedServerGoesOnTalking checks voice while the game stands still.
func TestPausedServerGoesOnTalking(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 2})
	v.Server.Pace.Pause(true)
	assert.Equal(t, []int{1}, v.listens(0, voice.All, voice.Talk))
}

// TestTalkersLeave checks that the table of talkers has only those who are here and have talked
// lately.
func TestTalkersLeave(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 3})
	v.listens(0, voice.All, voice.Talk)
	v.listens(1, voice.All, voice.Talk)
	assert.Equal(t, 2, engine.TalkerCount(v.Server.Host))
	v.Peer(0).Disconnect("enough")
	v.Run(time.Second)
	assert.Equal(t, 1, engine.TalkerCount(v.Server.Host))
	v.Run(31 * time.Second)
	assert.Zero(t, engine.TalkerCount(v.Server.Host))
}

// TestHostileServerCannotFloodADecoder sends a client more than a talker's budget, from known and
// unknown talkers. The program gets the budget, and the client keeps few of them.
func TestHostileServerCannotFloodADecoder(t *testing.T) {
	v := newVoiceRig(t, "all", enginetest.Options{Clients: 1})
	c := v.Clients[0].Host.Server()
	for talker := range 3000 {
		engine.LearnTalker(c, uint32(talker), fmt.Sprint("talker ", talker))
	}
	assert.Equal(t, engine.MaxTalkers, engine.HeardTalkers(c))
	for i := range 1000 {
		engine.HearFrame(c, 2999, uint8(i), 60)
		engine.HearFrame(c, 60_000, uint8(i), 60)
	}
	assert.Len(t, v.people[0].heard, 10, "the burst")
	engine.LearnTalker(c, 60_000, "late")
	assert.Len(t, v.people[0].heard, 10+engine.MaxUnknown, "the newest frames from before the name")
}

// TestWhoMayNotHearGetsNothing counts the packets to each client, with and without a talker: a
// client beyond the range gets as many, each as large as before. The listener of the range gets
// more bytes.
func TestWhoMayNotHearGetsNothing(t *testing.T) {
	play := func(talks bool) (sizes [][]int) {
		v := newVoiceRig(t, "all", enginetest.Options{Clients: 3})
		v.stand(15) // 0, 15 and 30 m
		sizes = make([][]int, 3)
		v.Net.Watch = func(_ netcore.Time, from, to netcore.Addr, d []byte) {
			for i, c := range v.Clients {
				if from == v.Server.Addr && to == c.Addr {
					sizes[i] = append(sizes[i], len(d))
				}
			}
		}
		v.people[0].talks, v.people[0].reach = talks, voice.Shout
		v.Run(3 * time.Second)
		require.Equal(t, talks, len(v.people[1].heard) > 100)
		require.Empty(t, v.people[2].heard)
		return sizes
	}
	silent, spoken := play(false), play(true)
	assert.Equal(t, silent[2], spoken[2], "30 m away")
	assert.NotEqual(t, silent[1], spoken[1], "15 m away")
	assert.Greater(t, len(silent[2]), 30)
}

// TestNamesOfTalkersAreCut: a name that is too long ends with a whole character.
func TestNamesOfTalkersAreCut(t *testing.T) {
	assert.Equal(t, "a"+strings.Repeat("é", 127), engine.TalkerNameOf("a"+strings.Repeat("é", 200)))
	assert.Equal(t, "é", engine.TalkerNameOf("é"))
}
