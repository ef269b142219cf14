package play_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/play"
)

// TestPageTalks: frames of the player reach the server with the next ticks, as far as the server
// lets the player talk. Bytes that are no frame are dropped, and a page that stood still loses the
// oldest.
func TestPageTalks(t *testing.T) { inTime(t, pageTalks) }

func pageTalks(t *testing.T) {
	p := joinGame(t, node.Config{
		Common: node.Common{Vars: []node.Var{{Name: "sv.voice", Value: "team"}}}, Server: node.ServerConfig{Load: []string{"ctf"}},
	})
	p.until("the page knows the rules", func() bool { return p.Voice().Mode == voice.Teams })
	assert.True(t, p.Voice().MayTalk(voice.Team))
	opus := make([]byte, 60)
	opus[0] = 9 << 3
	received := func() uint64 { return p.server.Host().Voices.Figures().Received }
	p.Say(int(voice.All), 0, 0, opus)
	p.Say(-1, 0, 0, opus)
	p.Say(1<<8, 0, 0, opus)
	p.Say(0, 0, 0, nil)
	p.Say(0, 0, 0, make([]byte, voice.MaxFrame+1))
	for range 25 {
		p.Say(int(voice.Proximity), 1<<20, -5, opus)
	}
	p.until("ten frames arrive", func() bool { return received() >= 10 })
	tick := p.State[play.WordTick]
	p.until("further ticks have passed", func() bool { return p.State[play.WordTick] > tick+8 })
	assert.EqualValues(t, 10, received())

	p.serverLine("sv.voice off")
	p.until("voice is off", func() bool { return p.Voice() == engine.VoiceRules{} })
	p.Say(int(voice.Proximity), 0, 0, opus)
	tick = p.State[play.WordTick]
	p.until("further ticks have passed", func() bool { return p.State[play.WordTick] > tick+8 })
	assert.EqualValues(t, 10, received())
}
