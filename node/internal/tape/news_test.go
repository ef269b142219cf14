package tape

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/journal"
)

// hearer is a server that hears news.
type hearer struct {
	Server
	heard []bus.News
}

func (*hearer) Start() error       { return nil }
func (h *hearer) News(n *bus.News) { h.heard = append(h.heard, *n) }
func (*hearer) Tick(time.Duration) {}
func (*hearer) Ending(bool)        {}
func (*hearer) Close(bool, string) {}
func (*hearer) Set(_, _ string)    {}
func (*hearer) NotePlain()         {}
func (*hearer) Reread()            {}

// replayed plays a journal to a server. News are at most longest bytes long.
func replayed(t *testing.T, b []byte, longest int) (*Player, []bus.News) {
	in, err := journal.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	p, err := NewPlayer(in)
	require.NoError(t, err)
	require.Equal(t, maxNews, p.longest)
	p.longest = longest
	h := &hearer{}
	p.Attach(h, nil, nil, nil)
	for err == nil {
		err = p.Step()
	}
	require.ErrorIs(t, err, io.EOF)
	return p, h.heard
}

// TestNewsAreExact: a replay hears what the server has heard: bytes that are no text, values of
// nothing and of no bytes, and news that are longer than an entry.
func TestNewsAreExact(t *testing.T) {
	news := []bus.News{
		{Line: &bus.Line{Up: true, Warn: "caf\xff"}},
		{Servers: &bus.Servers{List: []bus.Server{{Name: "a", Key: seal.Key{1, 255}, Title: "\x00hidden", Mods: []string{"x\xc3"}, Own: map[string][]byte{"m": {0, 1}}}}}},
		{Message: &bus.Message{From: "b", Question: true, Number: 1<<64 - 1, Note: bus.Note{Mod: "m", Topic: "\x80\x81", Value: []byte("\xff\x00")}}},
		{Loaded: &bus.Loaded{Group: bus.Group{Bucket: bus.Shared, Name: "m"}, Epoch: bus.Epoch{Count: 1, ID: 1 << 63}, Values: []bus.Value{
			{Key: "\xfe", Data: bytes.Repeat([]byte{7}, 3*maxPart), Rev: 1 << 60}, {Key: "deleted"}, {Key: "empty", Data: []byte{}},
		}}},
		{Outcome: &bus.Outcome{Number: 3, Revs: []bus.Revision{1, 2}, Err: "no"}},
	}
	var b bytes.Buffer
	w, err := journal.NewWriter(&b, journal.Header{Config: encode(Config{})})
	require.NoError(t, err)
	r := NewRecorder(w, Config{}, func(why string) { t.Error(why) }, func() {})
	r.Start(0)
	r.Done()
	for _, n := range news {
		r.News(time.Second, &n)
		r.Done()
	}
	r.Stop("")
	p, heard := replayed(t, b.Bytes(), maxNews)
	assert.Empty(t, p.Difference())
	assert.Equal(t, time.Second, p.Now)
	require.Len(t, heard, len(news))
	for i := range news {
		assert.Equal(t, news[i], heard[i])
	}
	assert.Equal(t, "caf\xff", news[0].Line.Warn, "the server keeps what it has heard")
}

// TestHostileNews: parts without an end need no memory without end.
func TestHostileNews(t *testing.T) {
	const longest = 8 << 20 // takes the place of maxNews
	part := bytes.Repeat([]byte(" "), maxPart)
	var b bytes.Buffer
	w, err := journal.NewWriter(&b, journal.Header{Config: encode(Config{})})
	require.NoError(t, err)
	require.NoError(t, w.Write(&journal.Entry{Kind: journal.Start}))
	for range longest/maxPart + 1 {
		require.NoError(t, w.Write(&journal.Entry{Kind: journal.News, Number: 1, Data: part}))
	}
	require.NoError(t, w.Write(&journal.Entry{Kind: journal.News, Data: []byte("{")}))
	require.NoError(t, w.Write(&journal.Entry{Kind: journal.End}))
	require.NoError(t, w.Flush())
	p, heard := replayed(t, b.Bytes(), longest)
	assert.Contains(t, p.Difference(), "news of the fleet have more than 8 MiB")
	assert.LessOrEqual(t, len(heard), 1)
	assert.Less(t, cap(p.news), longest)
}
