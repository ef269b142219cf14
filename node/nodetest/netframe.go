package nodetest

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// ReadFrame reads the JSON of a frame into a value, and returns the rows of the map.
func ReadFrame(t testing.TB, from io.Reader, into any) (rows []byte) {
	t.Helper()
	var sizes [8]byte
	_, err := io.ReadFull(from, sizes[:])
	require.NoError(t, err)
	text := make([]byte, binary.LittleEndian.Uint32(sizes[:]))
	rows = make([]byte, binary.LittleEndian.Uint32(sizes[4:]))
	_, err = io.ReadFull(from, text)
	require.NoError(t, err)
	_, err = io.ReadFull(from, rows)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into), "%s", text)
	return rows
}
