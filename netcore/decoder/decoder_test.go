// Package decoder holds a decoder of the wire format in Python. It follows PROTOCOL.md alone, and shares no code with
// the decoder of torc dissect.
package decoder

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDecoder runs the tests of the decoder. It needs Python 3.8.
func TestDecoder(t *testing.T) {
	if exec.Command("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 8))").Run() != nil {
		t.Skip("there is no python3 of version 3.8 or later")
	}
	watch(t, "*.py", "../PROTOCOL.md", "../bitstream/lengths.txt")
	out, err := exec.Command("python3", "-B", "-m", "unittest", "discover").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// watch looks at the files that Python reads, so that go test runs the test again if one of them changes.
func watch(t *testing.T, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files match %s: %v", pattern, err)
		}
		for _, file := range files {
			if _, err := os.Stat(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}
