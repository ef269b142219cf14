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
	for id := cameraID; id <= recordingID; id++ {
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

	netcoretest.Vectors(t, "engine", netcore.ProtocolVersion).Bytes("command", w.Bytes())

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
