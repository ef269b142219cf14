package netcoretest

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestChangedBytesNeedAVersion checks when a vector can be written: as a new one, or by a higher
// version than the one that wrote it, and in both cases only by -update.
func TestChangedBytesNeedAVersion(t *testing.T) {
	old := vector{4, "00"}
	for _, c := range []struct {
		name          string
		is            vector
		known, update bool
		writes        bool
		refuses       string
	}{
		{"the same bytes", vector{4, "00"}, true, false, false, ""},
		{"the same bytes, to update", vector{4, "00"}, true, true, false, ""},
		{"the same bytes, of a later version", vector{5, "00"}, true, true, false, ""},
		{"changed under the same version", vector{4, "01"}, true, false, false, "under version 4: changed bytes need a higher ProtocolVersion"},
		{"changed under the same version, to update", vector{4, "01"}, true, true, false, "under version 4: changed bytes need a higher ProtocolVersion"},
		{"changed by a higher version", vector{5, "01"}, true, false, false, "version 4, and this is version 5: -update"},
		{"changed by a higher version, to update", vector{5, "01"}, true, true, true, ""},
		{"changed by a lower version", vector{3, "01"}, true, true, false, "version 4 wrote the bytes, and this is version 3"},
		{"new", vector{4, "01"}, false, false, false, "no such vector: -update adds it"},
		{"new, to update", vector{4, "01"}, false, true, true, ""},
	} {
		writes, err := judge(old, c.is, c.known, c.update)
		assert.Equal(t, c.writes, writes, c.name)
		if c.refuses == "" {
			assert.NoError(t, err, c.name)
		} else {
			assert.ErrorContains(t, err, c.refuses, c.name)
		}
	}
}

// TestVectorFiles checks the file of a set, and that a file of bytes cannot change without its
// line.
func TestVectorFiles(t *testing.T) {
	was := testenv.Update()
	set := func(on bool) { require.NoError(t, flag.Set("update", strconv.FormatBool(on))) }
	t.Cleanup(func() { set(was) })
	dir := t.TempDir()
	failures := func(version uint32, do func(v VectorSet)) int {
		f := &failing{TB: t}
		do(VectorSet{f, filepath.Join(dir, "set.txt"), version})
		return f.n
	}
	small := func(v VectorSet) { v.Bytes("b", []byte{1, 2}) }
	other := func(v VectorSet) { v.Bytes("b", []byte{1, 3}) }
	large := func(v VectorSet) { v.File("a", []byte("one\ntwo\n")) }

	set(false)
	assert.Equal(t, 1, failures(4, small), "it is not stored")
	set(true)
	assert.Zero(t, failures(4, small))
	assert.Zero(t, failures(4, large))
	text, err := os.ReadFile(filepath.Join(dir, "set.txt"))
	require.NoError(t, err)
	assert.Regexp(t, `^4 a sha256:[0-9a-f]{64}\n4 b 0102\n$`, string(text))
	assert.Equal(t, 1, failures(4, other), "changed bytes under the same version")
	assert.Zero(t, failures(5, other))
	assert.Equal(t, 1, failures(5, small), "the bytes of version 5 stay")

	set(false)
	assert.Zero(t, failures(5, large), "the bytes of version 4 are those of version 5")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("one\nthree\n"), 0o644))
	assert.Equal(t, 1, failures(5, large), "somebody has edited the file")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "set.txt"), []byte("4 a\n"), 0o644))
	assert.Equal(t, 1, failures(5, small), "a line has three words")
}

// failing counts errors.
type failing struct {
	testing.TB
	n int
}

func (f *failing) Helper()               {}
func (f *failing) Error(...any)          { f.n++ }
func (f *failing) Errorf(string, ...any) { f.n++ }
