package script_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write mods/API.md anew")

const apiPage = "../mods/API.md"

// The page is what the tables say: go test ./script -run TestAPIPage -update.
func TestAPIPage(t *testing.T) {
	want := newHalf(t, 1, true).scripts.Reference()
	if *update {
		require.NoError(t, os.WriteFile(apiPage, []byte(want), 0o644))
	}
	have, err := os.ReadFile(apiPage)
	require.NoError(t, err)
	assert.True(t, want == string(have), "mods/API.md is stale: run go test ./script -run TestAPIPage -update")
}

func TestEveryRowSaysWhatItDoes(t *testing.T) {
	for _, lib := range newHalf(t, 1, true).scripts.List() {
		seen := map[string]bool{}
		for _, f := range lib.Funcs {
			assert.NotEmpty(t, f.Doc, "%s in %s", f.Name, lib.Name)
			assert.True(t, strings.HasSuffix(f.Doc, "."), "%s: %s", f.Name, f.Doc)
			assert.False(t, seen[f.Name], "%s is there twice", f.Name)
			seen[f.Name] = true
		}
	}
}
