package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFieldsAreTables: Go and mods write the same bytes for a table of texts.
func TestFieldsAreTables(t *testing.T) {
	x := storeExt(t)
	want, err := x.storedOf(t, `{ name = "Ann", reason = "cheats", [""] = "" }`)
	require.NoError(t, err)
	fields := map[string]string{"reason": "cheats", "name": "Ann", "": ""}
	assert.Equal(t, want, EncodeFields(fields))
	read, err := DecodeFields(want)
	require.NoError(t, err)
	assert.Equal(t, fields, read)
	read, err = DecodeFields(EncodeFields(nil))
	require.NoError(t, err)
	assert.Empty(t, read)
}

// TestFieldsOfANewerTorc: whatever is no text is left out. A newer format is named, and other
// values are errors.
func TestFieldsOfANewerTorc(t *testing.T) {
	x := storeExt(t)
	b, err := x.storedOf(t, `{ name = "Ann", level = 3, more = { name = "Bob" }, flag = true, [1] = "one", [true] = "yes", at = vec(1, 2, 3) }`)
	require.NoError(t, err)
	read, err := DecodeFields(b)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"name": "Ann"}, read)
	for code, want := range map[string]string{`"text"`: "no table", `5`: "no table"} {
		b, err := x.storedOf(t, code)
		require.NoError(t, err)
		_, err = DecodeFields(b)
		assert.ErrorContains(t, err, want)
	}
	good := EncodeFields(map[string]string{"name": strings.Repeat("x", 300), "reason": "y"})
	for n := range good {
		_, err := DecodeFields(good[:n])
		assert.Error(t, err, "cut at %d", n)
	}
	newer := append([]byte{storeCode + 1}, good[1:]...)
	_, err = DecodeFields(newer)
	assert.ErrorContains(t, err, "a newer torc wrote it")
}
