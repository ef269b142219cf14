//go:build !unix

package prompt

import (
	"os"

	"github.com/chzyer/readline"
)

// Read reads stdin through readline's translation for the platform.
func (f *files) Read(p []byte) (int, error) {
	if f.in == os.Stdin {
		return readline.Stdin.Read(p)
	}
	return f.in.Read(p)
}
