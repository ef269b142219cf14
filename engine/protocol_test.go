package engine

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// TestProtocolPageCommand checks the command, the kind ids and the kinds hash in PROTOCOL.md.
func TestProtocolPageCommand(t *testing.T) {
	page, err := os.ReadFile("../netcore/PROTOCOL.md")
	require.NoError(t, err)
	text := string(page)
	assert.True(t, strings.Contains(text, fmt.Sprintf("`%016x`", kinds.Hash())), "the hash is %016x", kinds.Hash())
	for id := cameraID; id <= voiceRulesID; id++ {
		assert.Regexp(t, fmt.Sprintf(`\n\| %d \| %s \|`, id, kinds.Name(id)), text)
	}
	for kind := range argKinds {
		assert.Regexp(t, fmt.Sprintf(`\n\| (\d, )?%d(, \d)? \| [^|\n]+ \| [^|\n]+ \|`, kind), text)
	}

	call, err := new(Connection).Commands.newCommand(sim.String("Hit"), []sim.Value{sim.String("hi"), sim.Number(-3), sim.Bool(true)})
	require.NoError(t, err)
	events := event.New(event.Config{Kinds: kinds})
	require.NoError(t, events.Post(call, event.Post{Guarantee: event.Unguaranteed}))
	w := bitstream.NewWriter(make([]byte, 100))
	require.True(t, events.Pack(w, netcore.Outgoing{Seq: 1}))

	vectors := netcoretest.Vectors(t, "engine", netcore.ProtocolVersion)
	vectors.Bytes("command", w.Bytes())
	frame := func(number uint8, data string) voice.Frame { f, _ := voice.NewFrame(number, []byte(data)); return f }
	spoken := voice.Spoken{Channel: voice.Team, Range: voice.Shout, Frame: frame(0, "Hello")}
	twice := spoken
	twice.Before = frame(255, "O")
	for _, v := range []struct {
		name string
		e    event.Event
	}{
		{"speech", &speech{Spoken: spoken}}, {"speech/twice", &speech{Spoken: twice}},
		{"voice", &relayedVoice{7, spoken}}, {"voice/twice", &relayedVoice{7, twice}},
		{"talker", &talkerName{talker: 7, client: 300, name: "Ann", mark: 0x1122334455667788}},
		{"voiceRules", &voiceRules{VoiceRules{Mode: voice.Public, Channels: 7, Permit: voice.May, Recorded: true}}},
	} {
		events := event.New(event.Config{Kinds: kinds, Server: true})
		require.NoError(t, events.Post(v.e, event.Post{}))
		w := bitstream.NewWriter(make([]byte, 100))
		require.True(t, events.Pack(w, netcore.Outgoing{Seq: 1}))
		vectors.Bytes(v.name, w.Bytes())
	}

	_, text, _ = strings.Cut(text, "\n### Commands\n")
	parts := strings.Split(text, "```")
	require.Greater(t, len(parts), 3, "the form and the example")
	said := ""
	for _, line := range strings.Split(parts[3], "\n") {
		said += strings.ReplaceAll(regexp.MustCompile(`^[01 ]*`).FindString(line), " ", "")
	}
	bits := ""
	for i := range w.Pos() {
		bits += fmt.Sprint(w.Bytes()[i/8] >> (i % 8) & 1)
	}
	assert.Equal(t, bits, said)
}
