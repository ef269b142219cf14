package tape

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/journal"
)

// TestJournalsWithoutAStart checks that a journal that cannot start its server says why.
func TestJournalsWithoutAStart(t *testing.T) {
	for _, c := range []struct {
		entries []journal.Entry
		flip    byte
		want    string
	}{
		{nil, 0, "the journal ends before its server starts: the process was killed, or the file was cut off"},
		{[]journal.Entry{{Kind: journal.Plain}}, 0, "the first call of the journal is not the start of its server"},
		{[]journal.Entry{{Kind: journal.Start}}, 1, "the journal ends before its server starts: block 1 of the journal, at byte %d, cannot be used: its checksum is wrong"},
		{[]journal.Entry{{Kind: journal.Address, Data: []byte("x")}}, 0, "the journal ends before its server starts: an address of the journal is damaged"},
		{[]journal.Entry{{Kind: journal.File, Data: []byte("x")}}, 0, "the journal ends before its server starts: a file of the journal cannot be read: invalid character 'x' looking for beginning of value"},
	} {
		var b bytes.Buffer
		w, err := journal.NewWriter(&b, journal.Header{Config: encode(Config{})})
		require.NoError(t, err)
		header := b.Len()
		for _, e := range c.entries {
			require.NoError(t, w.Write(&e))
		}
		require.NoError(t, w.Flush())
		b.Bytes()[b.Len()-1] ^= c.flip
		_, err = play(t, b.Bytes(), func(*Player) {})
		if c.flip != 0 {
			assert.EqualError(t, err, fmt.Sprintf(c.want, header))
		} else {
			assert.EqualError(t, err, c.want)
		}
	}
}

// TestTooManyOfAKind checks that each limit of a Player has a sentence of its own.
func TestTooManyOfAKind(t *testing.T) {
	for want, b := range map[string][]byte{
		"the journal has more than 1000 marks, and no server writes one that does":      hostile(t, maxMarks+2, journal.Entry{Kind: journal.Mark}),
		"the journal has more than 65536 addresses, and no server writes one that does": hostile(t, maxAddresses+2, journal.Entry{Kind: journal.Address, Data: make([]byte, addrSize)}),
	} {
		_, err := playWith(t, b, maxHeld, func(*Player) {})
		assert.EqualError(t, err, want)
	}
}
