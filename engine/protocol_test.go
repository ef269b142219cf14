package engine

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/seal"
)

// pageForm has a row of each kind.
var pageForm = form.Form{Number: 7, Name: "shop", Title: "Shop", Rows: []form.Row{
	{Kind: form.Text, Text: "What do you want?"},
	{Kind: form.Button, Name: "buy", Text: "Buy"},
	{Kind: form.Field, Name: "note", Text: "Note", Length: 20, Input: "hi"},
	{Kind: form.Choice, Name: "car", Text: "Car", Choices: []string{"fast", "safe"}, Value: 1},
	{Kind: form.Field, Name: "n", Text: "How many", Numeric: true, Integer: true, Min: -1, Max: 9, Value: 2},
	{Kind: form.Slider, Name: "speed", Text: "Speed", Min: 0, Max: 1, Step: 0.25, Value: 0.5},
	{Kind: form.Table, Name: "who", Choices: []string{"Name", "Score"}, Cells: []string{"Ann", "3", "Bob", "2"}, Value: 2},
	{Kind: form.Bar, Text: "Health", Value: 0.5},
	{Kind: form.Look, Text: "A car", Block: 4},
	{Kind: form.Image, Text: "A sword", Image: 3},
}}

// TestProtocolPageCommand checks the command, the kind ids and the kinds hash in PROTOCOL.md.
func TestProtocolPageCommand(t *testing.T) {
	page, err := os.ReadFile("../netcore/PROTOCOL.md")
	require.NoError(t, err)
	text := string(page)
	assert.True(t, strings.Contains(text, fmt.Sprintf("`%016x`", kinds.Hash())), "the hash is %016x", kinds.Hash())
	for id := cameraID; id <= voiceStateID; id++ {
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
		{"voiceState/talker", &voiceState{talker: talkerName{talker: 7, client: 300, name: "Ann", mark: 0x1122334455667788}}},
		{"form", &formEvent{piece: pageForm.Split(6)[0]}}, {"form/over", &formEvent{use: formClosed, number: 7}},
		{"form/answer", &formEvent{use: formAnswer, answer: &form.Answer{Number: 7, Button: 1, Values: []form.Value{{Row: 2, IsText: true, Text: "ten"}, {Row: 3, Number: 2}}}}},
		{"form/closed", &formEvent{use: formAnswer, answer: &form.Answer{Number: 7, Closed: true, Button: form.NoButton}}},
		{"form/bind", &formEvent{use: formBind, bind: &bindChange{Bind{Mod: "ctf", Name: "inventory", Key: 8, Text: "open the inventory"}, true}}},
		{"form/unbind", &formEvent{use: formBind, bind: &bindChange{Bind{Mod: "ctf", Name: "inventory"}, false}}},
		{"form/picture", &formEvent{use: formImage, image: &picture.Piece{Number: 3, Size: 24, Hash: picture.HashOf([]byte("a sword")), Data: []byte("RIFF")}}},
		{"form/more", &formEvent{use: formImage, image: &picture.Piece{Number: 3, Use: picture.More, Data: []byte("WEBP")}}},
		{"form/forgotten", &formEvent{use: formImage, image: &picture.Piece{Number: 3, Use: picture.Forgotten}}},
		{"voiceState/rules", &voiceState{ruling: true, rules: VoiceRules{Mode: voice.Public, Channels: 7, Permit: voice.May, Recorded: true}}},
		{"transfer", &transferEvent{number: 5, order: TransferOrder{Address: "10.0.0.2:28000", Key: seal.Key{1, 2, 3}, Name: "arena-2", Ticket: []byte("a ticket")}}},
		{"transfer/accepted", &transferEvent{use: transferAccepted, number: 5}},
		{"transfer/refused", &transferEvent{use: transferRefused, number: 5, refusal: "the server is full"}},
		{"transfer/arrived", &transferEvent{use: transferArrived}},
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
