package demos

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	var got []string
	keep := func(name string, parts [][]byte) {
		got = append(got, name)
		for _, p := range parts {
			got = append(got, string(p))
		}
	}
	m, err := NewMemory("a.torc", []byte("header"), 10, keep)
	require.NoError(t, err)
	require.NoError(t, m.Write([]byte("1234")))
	assert.EqualValues(t, 10, m.Size())
	assert.EqualError(t, m.Write([]byte("5")), "it has 0 MiB, which is the limit")
	assert.Empty(t, got, "the demo has not ended")
	m.Close()
	assert.Equal(t, []string{"a.torc", "header", "1234"}, got)
	m, err = NewMemory("b.torc", nil, 10, keep)
	require.NoError(t, err)
	m.Drop()
	assert.NotContains(t, got, "b.torc")
}
