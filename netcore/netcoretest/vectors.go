package netcoretest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// VectorSet is a set of stored bytes of the protocol. A file in netcore/testdata/vectors has a line
// for each of them, with the version of the protocol that wrote it:
//
//	VERSION NAME VALUE
//
// The value is the bytes in hex. Bytes that have a file of their own are there as their SHA-256.
// Bytes that have changed fail until the protocol has a higher version. Then -update rewrites them.
type VectorSet struct {
	t       testing.TB
	path    string
	version uint32
}

// vectorsMutex is held while a test reads and writes a file of vectors.
var vectorsMutex sync.Mutex

// Vectors returns the set with a name. version is netcore.ProtocolVersion.
func Vectors(t testing.TB, name string, version uint32) VectorSet {
	t.Helper()
	folder := "."
	for up := 0; ; up++ {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		require.Less(t, up, 10, "the folder of go.mod")
		folder = filepath.Join(folder, "..")
	}
	return VectorSet{t, filepath.Join(folder, "netcore", "testdata", "vectors", name+".txt"), version}
}

// Bytes compares bytes with the stored ones. A name has no spaces.
func (v VectorSet) Bytes(name string, now []byte) {
	v.t.Helper()
	if _, err := v.hold(name, hex.EncodeToString(now)); err != nil {
		v.t.Error(err)
	}
}

// File is Bytes with a file of its own, in the folder of the set.
func (v VectorSet) File(name string, now []byte) {
	v.t.Helper()
	wrote, err := v.hold(name, fmt.Sprintf("sha256:%x", sha256.Sum256(now)))
	path := filepath.Join(filepath.Dir(v.path), name)
	if wrote {
		require.NoError(v.t, os.WriteFile(path, now, 0o644))
	}
	then, _ := os.ReadFile(path)
	if err != nil {
		v.t.Errorf("%v: line %d differs", err, differs(then, now))
	} else if !bytes.Equal(then, now) {
		v.t.Errorf("%s: it is not the file that version %d wrote: restore it", path, v.version)
	}
}

// hold compares a value with its line, and writes the line if that is allowed.
func (v VectorSet) hold(name, now string) (wrote bool, err error) {
	vectorsMutex.Lock()
	defer vectorsMutex.Unlock()
	lines, err := readVectors(v.path)
	if err != nil {
		return false, err
	}
	was, known := lines[name]
	is := vector{v.version, now}
	if wrote, err = judge(was, is, known, testenv.Update()); err != nil {
		return false, fmt.Errorf("%s: %s: %w", v.path, name, err)
	}
	if !wrote {
		return false, nil
	}
	lines[name] = is
	return true, writeVectors(v.path, lines)
}

// vector is a stored value with the version that wrote it.
type vector struct {
	version uint32
	value   string
}

// judge reports whether the line of a value is written anew. The bytes of a version never change,
// so an error says what a change needs.
func judge(was, is vector, known, update bool) (write bool, err error) {
	switch {
	case !known && update:
		return true, nil
	case !known:
		return false, errors.New("there is no such vector: -update adds it")
	case was.value == is.value:
		return false, nil
	case was.version == is.version:
		return false, fmt.Errorf("the bytes have changed under version %d: changed bytes need a higher ProtocolVersion", is.version)
	case was.version > is.version:
		return false, fmt.Errorf("version %d wrote the bytes, and this is version %d", was.version, is.version)
	case !update:
		return false, fmt.Errorf("the bytes are those of version %d, and this is version %d: -update rewrites them", was.version, is.version)
	}
	return true, nil
}

func readVectors(path string) (map[string]vector, error) {
	lines := map[string]vector{}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lines, nil
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if len(words) != 3 {
			return nil, fmt.Errorf("%s: %q must be VERSION NAME VALUE", path, line)
		}
		version, err := strconv.ParseUint(words[0], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		lines[words[1]] = vector{uint32(version), words[2]}
	}
	return lines, err
}

func writeVectors(path string, lines map[string]vector) error {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&text, "%d %s %s\n", lines[name].version, name, lines[name].value)
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// differs returns the first line that differs.
func differs(a, b []byte) int {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}
