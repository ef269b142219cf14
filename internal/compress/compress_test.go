package compress

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// text is not too easy to compress.
func text() (b []byte) {
	for i := range 20_000 {
		b = fmt.Append(b, "body ", i*i>>3, "\n")
	}
	return b
}

// TestGunzip returns what was compressed, and nothing of a broken file.
func TestGunzip(t *testing.T) {
	assert.Equal(t, text(), Gunzip(Gzip(text())))
	assert.Nil(t, Gunzip(nil))
	assert.Nil(t, Gunzip(Gzip(text())[:1000]))
}

// TestScript: only whole lines of comments become empty, and no line moves.
func TestScript(t *testing.T) {
	assert.Equal(t, "\na = \"//b\"; // c\n\n\n", string(Script([]byte("// a\na = \"//b\"; // c\n\t // d\n\n"))))
}
