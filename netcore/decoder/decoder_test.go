// Package decoder holds a decoder of the wire format in Python. It follows PROTOCOL.md alone, and shares no code with
// torc.
package decoder

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.EndWithParent()
	os.Exit(m.Run())
}

// python runs Python 3.8 or later with arguments. It skips the test if there is none.
func python(t *testing.T, arguments ...string) {
	t.Helper()
	if exec.Command("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 8))").Run() != nil {
		t.Skip("there is no python3 of version 3.8 or later")
	}
	out, err := testenv.Output(t, exec.Command("python3", append([]string{"-B"}, arguments...)...))
	require.NoError(t, err, "%s", out)
}

// TestDecoder runs the tests of the decoder, with the test vectors.
func TestDecoder(t *testing.T) {
	watch(t, "*.py", "../PROTOCOL.md", "../bitstream/lengths.txt", "../testdata/vectors/*")
	python(t, "-m", "unittest", "discover")
}

// watch looks at the files that Python reads, so that go test runs the test again if one of them changes.
func watch(t *testing.T, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			_, err := os.Stat(file)
			require.NoError(t, err)
		}
	}
}
