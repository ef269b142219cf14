package tape

import (
	"bytes"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/journal"
)

// hostile returns a journal with a Start and any number of the same entry behind it. %d in its name
// is the number of the entry.
func hostile(t *testing.T, n int, e journal.Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := journal.NewWriter(&b, journal.Header{Config: encode(Config{Network: true})})
	require.NoError(t, err)
	require.NoError(t, w.Write(&journal.Entry{Kind: journal.Start}))
	name := e.Name
	for i := range n {
		e.Number = uint64(i)
		e.Name = strings.Replace(name, "%d", strconv.Itoa(i), 1)
		require.NoError(t, w.Write(&e))
	}
	require.NoError(t, w.Write(&journal.Entry{Kind: journal.End}))
	require.NoError(t, w.Flush())
	return b.Bytes()
}

// TestMemoryOfAJournalIsBounded checks that a small journal cannot make a player keep much more
// than the limit.
func TestMemoryOfAJournalIsBounded(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 1<<20)
	folder := append(append([]byte(`{"entries":[{}`), bytes.Repeat([]byte(",{}"), 1<<14)...), "]}"...)
	for _, e := range []journal.Entry{
		{Kind: journal.Content, Data: long}, {Kind: journal.Loaded, Data: long}, {Kind: journal.Mark, Name: string(long)}, {Kind: journal.File, Name: "dir %d", Data: folder},
		{Kind: journal.File, Name: "dir %d" + string(long), Data: []byte("{}")}, {Kind: journal.File, Name: string(long) + " %d", Data: []byte("{}")},
		{Kind: journal.File, Name: "info %d", Data: encode(result{Info: &info{Name_: string(long)}})},
		{Kind: journal.File, Name: "info %d", Data: encode(result{Error: &fileError{Kind: string(long)}})},
		{Kind: journal.File, Name: "info %d", Data: encode(result{Error: &fileError{Op: string(long)}})},
	} {
		b := hostile(t, testHeld/(1<<20), e)
		assert.Less(t, len(b), 1<<20)
		p, err := play(t, b, func(*Player) { t.Error("a call without all of its answers") })
		assert.EqualError(t, err, "the journal needs more than 6 MiB of memory, and no server writes one that does", "kind %d", e.Kind)
		assert.LessOrEqual(t, p.held+p.shelf.held, testHeld+entryBytes<<14)
	}
	_, err := play(t, hostile(t, testHeld/(1<<20)/2, journal.Entry{Kind: journal.Content, Data: long}), func(*Player) {})
	assert.ErrorIs(t, err, io.EOF)
}

// TestOldAnswersCostNothing checks that neither answers of earlier calls nor earlier answers about
// one file count.
func TestOldAnswersCostNothing(t *testing.T) {
	var b bytes.Buffer
	w, err := journal.NewWriter(&b, journal.Header{Config: encode(Config{})})
	require.NoError(t, err)
	long := bytes.Repeat([]byte("x"), 1<<20)
	for i := range 2 * testHeld / (1 << 20) {
		call := journal.Entry{Kind: journal.Plain}
		if i == 0 {
			call = journal.Entry{Kind: journal.Start}
		}
		require.NoError(t, w.Write(&call))
		require.NoError(t, w.Write(&journal.Entry{Kind: journal.Loaded, Data: long}))
		require.NoError(t, w.Write(&journal.Entry{Kind: journal.File, Name: "link a", Data: encode(result{Link: string(long)})}))
	}
	require.NoError(t, w.Write(&journal.Entry{Kind: journal.End}))
	require.NoError(t, w.Flush())
	_, err = play(t, b.Bytes(), func(*Player) {})
	assert.ErrorIs(t, err, io.EOF)
}

// TestEventsAreBounded checks that a journal cannot make events out of three bytes each without a
// limit.
func TestEventsAreBounded(t *testing.T) {
	b := hostile(t, 2, journal.Entry{Kind: journal.Events, Data: append(append([]byte(`[{}`), bytes.Repeat([]byte(",{}"), maxEvents)...), ']')})
	p, err := play(t, b, func(p *Player) {
		p.kinds[journal.Events] = ^uint64(0) // the first entry answers question 0
		assert.Len(t, p.Network(nil).Events(), maxEvents)
	})
	assert.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "tick 0: mods have more events than a server has", p.Difference())
}

func TestSecondStartIsRefused(t *testing.T) {
	started := 0
	p, err := play(t, hostile(t, 1, journal.Entry{Kind: journal.Start}), func(*Player) { started++ })
	assert.EqualError(t, err, "the journal starts its server a second time, and no server does")
	assert.LessOrEqual(t, started, 1)
	assert.Empty(t, p.Difference())
}

// TestManyFilesEndAJournal checks that a server writes no journal that a player refuses, even if a
// trial reads the files meanwhile, and that nobody plays the call that lacks some of them.
func TestManyFilesEndAJournal(t *testing.T) {
	var b bytes.Buffer
	w, err := journal.NewWriter(&b, journal.Header{Config: encode(Config{})})
	require.NoError(t, err)
	var ended []string
	r := NewRecorder(w, Config{}, func(why string) { ended = append(ended, why) }, func() {})
	r.most = testHeld / 2
	file := &fstest.MapFile{Data: make([]byte, 1<<20)}
	folder := r.Folders([]fs.FS{fstest.MapFS{"a": file}})[0]
	r.Start(0)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for i := range testHeld / (1 << 20) {
			file.Data[i] = 1 // another content
			_, err := fs.ReadFile(folder, "a")
			assert.NoError(t, err)
		}
	}()
	r.Sent(netcore.Addr{}, nil)
	<-read
	r.Done()
	assert.Equal(t, []string{"the files of mods in it have more than 3 MiB"}, ended)
	assert.False(t, r.On())
	p, err := play(t, b.Bytes(), func(*Player) { t.Error("a call without all of its answers") })
	assert.ErrorIs(t, err, io.EOF)
	assert.False(t, p.Whole())
	assert.Empty(t, p.Difference())
	assert.Equal(t, []Mark{{0, "end\t" + ended[0]}}, p.Marks)
}

// TestMemoryOverHours checks that what a Recorder knows of addresses and files is bounded, however
// many there are over the hours of a server, and that a Player takes its journal.
func TestMemoryOverHours(t *testing.T) {
	var b bytes.Buffer
	w, err := journal.NewWriter(&b, journal.Header{Config: encode(Config{})})
	require.NoError(t, err)
	var ended []string
	r := NewRecorder(w, Config{}, func(why string) { ended = append(ended, why) }, func() {})
	r.most = 1 << 20
	file := &fstest.MapFile{Data: []byte("x")}
	folder := r.Folders([]fs.FS{fstest.MapFS{"a": file}})[0]
	for n := range maxAddresses + 100 {
		r.address(netcore.Addr{Kind: netcore.AddrUDP, IP: [16]byte{12: byte(n >> 16), 13: byte(n >> 8), 14: byte(n)}})
		require.LessOrEqual(t, len(r.addrs), maxAddresses)
	}
	assert.Len(t, r.addrs, 100, "the table begins again")
	for n := range 5000 {
		file.Mode = fs.FileMode(n) // another answer about the same file
		_, err := fs.Stat(folder, "a")
		require.NoError(t, err)
	}
	assert.Len(t, r.told, 1)
	assert.Less(t, r.folders.held, 1000, "the newest answer counts")
	require.Empty(t, ended)
	for n := range 1 << 20 / entryBytes {
		_, err := fs.Stat(folder, strconv.Itoa(n))
		require.Error(t, err)
	}
	assert.Equal(t, []string{"the files of mods in it have more than 1 MiB"}, ended, "questions about files that do not exist")
	assert.LessOrEqual(t, len(r.told), 1<<20/entryBytes)
	known := len(r.told)
	_, err = fs.Stat(folder, "after the end")
	require.Error(t, err)
	assert.Len(t, r.told, known)
}
