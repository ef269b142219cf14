package netcore_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/seal"
)

// pageCommand is a command in the form that PROTOCOL.md gives, with strings only.
type pageCommand struct {
	name event.TagRef
	args []string
}

const argString = 5

func (c *pageCommand) KindID() event.KindID { return pageKinds.ID("command") }

func (c *pageCommand) Serialize(s *event.Codec) {
	s.Tag(&c.name)
	n := len(c.args)
	s.Int(&n, 0, 20)
	for range n {
		kind := argString
		s.Int(&kind, 0, 11)
	}
	if s.Reading() {
		c.args = make([]string, n)
	}
	for i := range c.args {
		s.Text(&c.args[i], 32<<10)
	}
}

func (c *pageCommand) Process(*netcore.Conn) error { return nil }

// pageKinds is the table of kinds in PROTOCOL.md.
var pageKinds = event.NewKinds(
	pageKind("camera", event.ToClient),
	pageKind("command", event.ToEither),
	pageKind("description", event.ToClient),
	pageKind("form", event.ToEither),
	pageKind("hello", event.ToClient),
	pageKind("pace", event.ToClient),
	pageKind("phaseAnswer", event.ToServer),
	pageKind("phaseStep", event.ToClient),
	pageKind("recording", event.ToClient),
	pageKind("speech", event.ToServer),
	pageKind("transfer", event.ToEither),
	pageKind("voice", event.ToClient),
	pageKind("voiceState", event.ToClient),
)

func pageKind(name string, dir event.Direction) event.Kind {
	return event.Kind{Name: name, Dir: dir, New: func() event.Event { return new(pageCommand) }}
}

// pageConn is one side of the example's connection.
type pageConn struct {
	conn   *netcore.Conn
	events *event.Stream
}

func newPageConn(keys *seal.Session, server bool) *pageConn {
	e := &pageConn{events: event.New(event.Config{Kinds: pageKinds, Server: server})}
	e.conn = netcore.NewConn(0, netcore.ConnConfig{
		Keys: keys, Initiator: !server,
		Streams: func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{e.events} },
	})
	return e
}

// postCommand posts a command and returns the one packet with it.
func (e *pageConn) postCommand(t *testing.T, g event.Guarantee, name string, args ...string) (packet []byte) {
	require.NoError(t, e.events.Post(&pageCommand{event.TagRef{Text: name}, args}, event.Post{Guarantee: g}))
	e.conn.Send(0, func(_ netcore.Addr, d []byte) {
		require.Nil(t, packet, "one packet")
		packet = append([]byte{}, d...)
	})
	require.NotNil(t, packet)
	return packet
}

// TestWorkedExample builds the packet of the worked example in PROTOCOL.md with real connections:
// the client's first packet, after it received the server's packets 1 and 3.
func TestWorkedExample(t *testing.T) {
	atClient, atServer := netcoretest.Pairs(1)
	_, opener := netcoretest.Pairs(1)
	client, server := newPageConn(atClient, false), newPageConn(atServer, true)
	for n := range 3 {
		packet := server.postCommand(t, event.Unguaranteed, "Tick")
		if n != 1 {
			client.conn.Receive(0, packet)
		}
	}
	client.conn.Tick(0)
	packet := client.postCommand(t, event.Ordered, "MessageSent", "hi")
	plain, err := opener.Open(nil, packet[:2], packet[2:], 1, 1)
	require.NoError(t, err)

	blocks := netcoretest.Fences(netcoretest.Section(t, "A worked example"))
	require.Len(t, blocks, 2, "the bytes and the fields")
	said, err := hex.DecodeString(strings.Join(strings.Fields(blocks[0]), ""))
	require.NoError(t, err)
	netcoretest.Vectors(t, "packets", netcore.ProtocolVersion).Bytes("worked-example", append(packet[:2:2], plain...))
	assert.Equal(t, append(packet[:2:2], plain...), said, "the packet is % x", append(packet[:2:2], plain...))

	bits := ""
	for _, b := range said[2:] {
		for i := range 8 {
			bits += fmt.Sprint(b >> i & 1)
		}
	}
	assert.Equal(t, bits, netcoretest.Fields(blocks[1]), "the fields are the bits of the bytes")
	assert.Equal(t, uint16(1|1<<2), binary.LittleEndian.Uint16(said), "data packet 1")
}

// TestProtocolPageKindsHash checks that the table of kinds in PROTOCOL.md equals pageKinds, and
// that its hash is right.
func TestProtocolPageKindsHash(t *testing.T) {
	text := netcoretest.Section(t, "What the engine sends")
	hash := fmt.Sprintf("`%016x`", pageKinds.Hash())
	assert.True(t, strings.Contains(text, hash), "the hash is %s", hash)
	for i, name := range []string{"announce", "fragment", "claim", "camera", "command", "description", "form", "hello", "pace", "phaseAnswer", "phaseStep", "recording", "speech", "transfer", "voice", "voiceState"} {
		assert.Equal(t, name, pageKinds.Name(event.KindID(i)))
		assert.Regexp(t, fmt.Sprintf(`(?m)^\| %d \| %s \|`, i, name), text)
	}
}

// TestProtocolPageTextExample checks the small example in the section about texts.
func TestProtocolPageTextExample(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| `([^`]*)` \\| ([01 ]+) \\|").FindAllStringSubmatch(netcoretest.Section(t, "Primitives"), -1)
	require.NotEmpty(t, rows)
	w := bitstream.NewWriter(make([]byte, 64))
	for _, row := range rows {
		from := w.Pos()
		w.Text(&row[1], 100)
		require.NoError(t, w.Err())
		bits := ""
		for i := from; i < w.Pos(); i++ {
			bits += fmt.Sprint(w.Bytes()[i/8] >> (i % 8) & 1)
		}
		assert.Equal(t, strings.ReplaceAll(row[2], " ", ""), bits, row[1])
	}
}

// TestProtocolPageVersion checks the version in PROTOCOL.md.
func TestProtocolPageVersion(t *testing.T) {
	page, err := os.ReadFile("PROTOCOL.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), fmt.Sprintf("This is version %d of the protocol.", netcore.ProtocolVersion))
}

// TestCommentsPointToHeadings checks that the headings of PROTOCOL.md cited in comments exist.
func TestCommentsPointToHeadings(t *testing.T) {
	page, err := os.ReadFile("PROTOCOL.md")
	require.NoError(t, err)
	for file, names := range map[string][]string{
		"header.go":         {"Data packets", "Control packets"},
		"handshake.go":      {"Handshake"},
		"event/stream.go":   {"Events"},
		"event/send.go":     {"Events"},
		"event/strings.go":  {"Strings"},
		"move/kind.go":      {"Moves"},
		"move/wire.go":      {"Moves"},
		"event/fragment.go": {"Pieces"},
	} {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range names {
			assert.Regexp(t, `PROTOCOL\.md[^\n]*`+name, string(code), file)
			assert.Regexp(t, `(?m)^(## |\*\*)`+name+`(\.\*\*|$)`, string(page), file)
		}
	}
}

// TestTextVectors pins the code table of texts.
func TestTextVectors(t *testing.T) {
	texts := netcoretest.Vectors(t, "packets", netcore.ProtocolVersion)
	for name, lines := range map[string][]string{
		"codes":  {"Attack the base!"},
		"prefix": {"Attack the base!", "Attack the flag 42 times"},
		"bytes":  {"\xfe\x00"},
	} {
		w := bitstream.NewWriter(make([]byte, 100))
		for _, text := range lines {
			w.Text(&text, 255)
		}
		texts.Bytes("text/"+name, w.Bytes())
	}
}
