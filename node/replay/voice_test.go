package replay_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// radio is a mod that draws lots who hears a talker: B hears three times of four, and C never.
const radio = `
function GameConnection.onVoice(client, channel)
  local list = {}
  for c in clientGroup:each() do
    if c.name == "B" and math.random(4) > 1 then list[#list + 1] = c end
  end
  return list
end
`

// talk plays a match in which A says a frame in each tick if the server lets it, first while a mod
// decides who hears it, and then to all. It returns the journal, and how many frames each client
// has heard by the end of each part.
func talk(t *testing.T, recorded string) (s *node.Server, text []byte, heard [2][3]int) {
	t.Helper()
	var file bytes.Buffer
	var now [3]int
	cfg := node.Config{
		Common: node.Common{Mods: []fs.FS{os.DirFS(modFolder(t, radio))}, Vars: []node.Var{{Name: "sv.voice", Value: "mod"}, {Name: "sv.voiceJournal", Value: recorded}}},
		Server: node.ServerConfig{Load: []string{"diary"}, Journal: &node.Journal{Writer: &file}},
	}
	v := nodetest.NewVirtual(t, cfg, 0)
	v.Change = func(i int, c *node.ClientConfig) {
		if i == 0 {
			c.VoiceOut = func() []engine.Speech {
				return []engine.Speech{{Channel: voice.All, Data: append([]byte{9 << 3}, "a frame"...)}}
			}
		}
		c.VoiceIn = func(engine.VoiceFrame) { now[i]++ }
	}
	for i := range now {
		v.AddClient(t, i, cfg)
	}
	for part := range heard {
		v.Run(t, 3*time.Second)
		heard[part] = now
		require.NoError(t, v.Server.Console().Set("sv.voice", "all"))
	}
	for _, c := range v.Clients {
		require.True(t, c.Ready())
	}
	require.NoError(t, v.Server.Close())
	return v.Server, file.Bytes(), heard
}

// TestReplayOfVoices checks that a journal with voices plays again without a difference, also where
// the lots of a mod decide who hears them.
func TestReplayOfVoices(t *testing.T) {
	s, text, heard := talk(t, "true")
	assert.Zero(t, heard[0][2], "the mod decides")
	assert.Greater(t, heard[0][1], 30)
	assert.Greater(t, heard[1][1], heard[0][1]+80)
	assert.Greater(t, heard[1][2], 80)
	r, err := runAgain(t, text, replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, s.Host().Voices.Figures(), r.Host().Voices.Figures())
}

// TestJournalWithoutVoices checks that the journal has no frame unless the operator allows it. The
// datagrams are sealed, so a replay opens them. It counts all frames in them, also dropped ones.
func TestJournalWithoutVoices(t *testing.T) {
	_, text, heard := talk(t, "false")
	assert.Zero(t, heard)
	r, err := runAgain(t, text, replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Zero(t, r.Host().Voices.Figures())
	assert.Greater(t, r.Tick(), uint64(180))
}
