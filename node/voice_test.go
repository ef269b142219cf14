package node_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// caller is what a test hears and says as one client.
type caller struct {
	talks bool
	due   int
	said  int
	heard map[string]int // frames by the name of the talker
	rules []engine.VoiceRules
}

// speak returns the frames of 32 ms, on the channel of all.
func (c *caller) speak() (out []engine.Speech) {
	for c.due += engine.TickMs; c.due >= 20; c.due -= 20 {
		if c.talks {
			c.said++
			out = append(out, engine.Speech{Channel: voice.All, Data: append([]byte{9 << 3}, make([]byte, 60)...)})
		}
	}
	return out
}

// newCallers makes a server and n clients in virtual time, whose programs talk and listen.
func newCallers(t testing.TB, cfg node.Config, n int) (*nodetest.Virtual, []*caller) {
	v := nodetest.NewVirtual(t, cfg, 0)
	callers := make([]*caller, n)
	v.Change = func(i int, c *node.ClientConfig) {
		one := &caller{heard: map[string]int{}}
		callers[i] = one
		c.VoiceOut = one.speak
		c.VoiceIn = func(f engine.VoiceFrame) { one.heard[f.Talker.Name]++ }
		c.VoiceRules = func(r engine.VoiceRules) { one.rules = append(one.rules, r) }
	}
	for i := range n {
		v.AddClient(t, i, cfg)
	}
	v.Run(t, time.Second)
	return v, callers
}

func on(t testing.TB, v *nodetest.Virtual, line string) string {
	out, err := v.Server.Console().Exec(line)
	require.NoError(t, err, line)
	return out
}

// TestVoiceOfClients checks the hooks of clients, and what operators have: the variables, mutes,
// the role, the command voice, status and metrics.
func TestVoiceOfClients(t *testing.T) {
	t.Parallel()
	v, callers := newCallers(t, node.Config{Common: node.Common{Vars: []node.Var{{Name: "sv.voice", Value: "all"}}}}, 3)
	talks := func() int {
		before := callers[1].heard["A"]
		callers[0].talks = true
		v.Run(t, 600*time.Millisecond)
		callers[0].talks = false
		v.Run(t, 100*time.Millisecond)
		return callers[1].heard["A"] - before
	}
	assert.InDelta(t, 30, talks(), 4)
	assert.Equal(t, callers[0].said, callers[2].heard["A"])
	assert.Empty(t, callers[0].heard, "nobody hears himself")
	assert.Equal(t, []engine.VoiceRules{{Mode: voice.Public, Channels: 7}}, callers[0].rules)
	assert.Regexp(t, `^\d+ A speaking 1\d\d\d B/s$`, on(t, v, "voice"))
	assert.Regexp(t, `(?m)^voice all, 1 talking, in 1\.\d kB/s, out [23]\.\d kB/s$`, on(t, v, "status"))
	assert.Regexp(t, `(?m)^torc_voice_talkers 1\n`, on(t, v, "metrics"))
	assert.Regexp(t, `(?m)^torc_voice_frames_sent_total \d\d\n`, on(t, v, "metrics"))
	assert.Contains(t, on(t, v, "metrics"), `torc_voice_frames_dropped_total{reason="budget"} 0`)
	assert.Regexp(t, `(?m)^torc_voice_talker_bytes_total\{connection="\d+"\} \d\d\d\d\n`, on(t, v, "metrics"))

	on(t, v, "mute A")
	v.Run(t, 300*time.Millisecond)
	assert.Zero(t, talks())
	assert.Equal(t, engine.VoiceRules{Mode: voice.Public, Permit: voice.Muted}, callers[0].rules[len(callers[0].rules)-1])
	on(t, v, "unmute A")
	v.Run(t, 1100*time.Millisecond)
	assert.NotZero(t, talks())
	on(t, v, "sv.voiceRole speaker")
	v.Run(t, 1100*time.Millisecond)
	assert.Zero(t, talks())
	assert.Equal(t, engine.VoiceRules{Mode: voice.Public, Permit: voice.Roleless}, callers[0].rules[len(callers[0].rules)-1])
	on(t, v, "role.give A speaker")
	v.Run(t, 1100*time.Millisecond)
	assert.NotZero(t, talks())
	_, err := v.Server.Console().Exec("sv.voiceRole SPEAKER")
	assert.Error(t, err)
	_, err = v.Server.Console().Exec("sv.voice loud")
	assert.ErrorContains(t, err, "off, proximity, team, all or mod")
	on(t, v, "sv.voice off")
	v.Run(t, 100*time.Millisecond)
	assert.Zero(t, talks())
	assert.NotContains(t, on(t, v, "metrics"), "torc_voice")
	assert.NotContains(t, on(t, v, "status"), "voice")
}

// TestVoiceWithAJournal checks that a journal keeps voice off, with a warning, until the operator
// allows it; and that the journal then has the voices.
func TestVoiceWithAJournal(t *testing.T) {
	t.Parallel()
	var file, log bytes.Buffer
	v, callers := newCallers(t, node.Config{
		Common: node.Common{Log: slog.New(slog.NewTextHandler(&log, nil)), Vars: []node.Var{{Name: "sv.voice", Value: "all"}}},
		Server: node.ServerConfig{Journal: &node.Journal{Writer: &file}},
	}, 2)
	assert.Contains(t, log.String(), "voice stays off, because the journal of this server would record it")
	assert.Empty(t, callers[0].rules)
	on(t, v, "sv.voiceJournal true")
	v.Run(t, 100*time.Millisecond)
	assert.Equal(t, []engine.VoiceRules{{Mode: voice.Public, Channels: 7, Recorded: true}}, callers[0].rules)
	assert.Contains(t, on(t, v, "status"), ", recorded by the journal")
}
