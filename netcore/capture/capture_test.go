package capture_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/capture"
)

var header = capture.Header{
	Protocol: 4, Recorder: capture.Client, Hash: "00000000000000ff", Kinds: []capture.Kind{{Name: "hello", From: capture.Server}},
	Classes: []capture.Class{{Name: "Tool", Parent: "NetObject", Kind: capture.NetClass, Fields: []capture.Field{
		{Name: "heat", Group: 1, Kind: capture.Number, Hi: 1, Bits: 8},
	}}},
}

// written returns a capture with a session and two packets.
func written(t testing.TB) []byte {
	var file bytes.Buffer
	w := capture.NewWriter(&file, header)
	w.Packet(5, capture.Client, []byte{0xC4, 1})
	w.Session(6, [32]byte{1}, [32]byte{2})
	w.Packet(7, capture.Server, []byte{0xFF})
	require.NoError(t, w.Err())
	return file.Bytes()
}

// TestLines pins the lines that docs/dissect.md describes.
func TestLines(t *testing.T) {
	lines := strings.Split(string(written(t)), "\n")
	assert.Equal(t, `{"capture":"torc","format":1,"protocol":4,"recorder":"client","program":"","hash":"00000000000000ff",`+
		`"kinds":[{"name":"hello","from":"server"}],"classes":[{"name":"Tool","parent":"NetObject","kind":"net",`+
		`"fields":[{"name":"heat","group":1,"kind":"number","hi":1,"bits":8}]}]}`, lines[0])
	assert.Equal(t, `{"time":5,"from":"client","data":"c401"}`, lines[1])
	assert.Equal(t, `{"session":1,"time":6,"client":"01`+strings.Repeat("0", 62)+`","server":"02`+strings.Repeat("0", 62)+`"}`, lines[2])
	assert.Equal(t, `{"time":7,"from":"server","data":"ff"}`, lines[3])
}

func TestRoundTrip(t *testing.T) {
	r, err := capture.NewReader(bytes.NewReader(written(t)))
	require.NoError(t, err)
	want := header
	want.Capture, want.Format = capture.Magic, capture.Format
	assert.Equal(t, want, r.Header)
	_, p, err := r.Next()
	require.NoError(t, err)
	assert.Equal(t, &capture.Packet{Time: 5, From: capture.Client, Data: []byte{0xC4, 1}}, p)
	s, p, err := r.Next()
	require.NoError(t, err)
	assert.Nil(t, p)
	assert.Equal(t, &capture.Session{Number: 1, Time: 6, Client: [32]byte{1}, Server: [32]byte{2}}, s)
	_, _, err = r.Next()
	require.NoError(t, err)
	_, _, err = r.Next()
	assert.Equal(t, io.EOF, err)
}

func TestRefusals(t *testing.T) {
	good := strings.SplitAfter(string(written(t)), "\n")
	for _, c := range []struct{ file, want string }{
		{"", "not a capture of torc: the file is empty"},
		{"PK\x03\x04", "not a capture of torc: the first line is no header"},
		{`{"capture":"other","format":1}`, "not a capture of torc: the first line is no header"},
		{strings.Replace(good[0], `"format":1`, `"format":2`, 1), "capture format 2: this program reads format 1"},
		{good[0] + good[1][:20], "line 2 of the capture: it is damaged or incomplete"},
		{good[0] + `{"time":1,"from":"nobody","data":"00"}`, `line 2 of the capture: from = "nobody": must be client or server`},
		{good[0] + `{"time":1,"from":"client","data":"0"}`, "line 2 of the capture: data must be 1 to 65535 bytes in hexadecimal digits"},
		{good[0] + `{"time":1,"from":"client","data":""}`, "line 2 of the capture: data must be 1 to 65535 bytes in hexadecimal digits"},
		{good[0] + `{"session":1,"client":"00","server":""}`, "line 2 of the capture: the keys of a session must have 64 hexadecimal digits"},
		{good[0] + strings.Repeat("x", 5<<20), "line 2 of the capture: it is too long"},
	} {
		r, err := capture.NewReader(strings.NewReader(c.file))
		for err == nil {
			_, _, err = r.Next()
		}
		assert.EqualError(t, err, c.want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestFullDisk(t *testing.T) {
	w := capture.NewWriter(full{}, header)
	w.Packet(1, capture.Client, []byte{1})
	assert.EqualError(t, w.Err(), "the disk is full")
}

// once is a disk that has no room for one write.
type once struct {
	bytes.Buffer
	writes int
}

func (o *once) Write(b []byte) (int, error) {
	if o.writes++; o.writes == 2 {
		return 0, errors.New("the disk is full")
	}
	return o.Buffer.Write(b)
}

// TestNothingFollowsAGap: after a failed write, nothing more is written, so a capture never lacks a
// line in its middle.
func TestNothingFollowsAGap(t *testing.T) {
	disk := new(once)
	w := capture.NewWriter(disk, header)
	before := disk.Len()
	w.Packet(1, capture.Client, []byte{1})
	w.Packet(2, capture.Client, []byte{2})
	assert.EqualError(t, w.Err(), "the disk is full")
	assert.Equal(t, before, disk.Len())
}

func FuzzReader(f *testing.F) {
	f.Add(written(f))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := capture.NewReader(bytes.NewReader(file))
		for n := 0; err == nil; n++ {
			require.LessOrEqual(t, n, len(file))
			_, _, err = r.Next()
		}
	})
}
