package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLinksOfPagesAreNoAddresses checks that the link of a page names the address to use instead.
func TestLinksOfPagesAreNoAddresses(t *testing.T) {
	_, err := toResolve("https://play.example.org/watch#KEY", "https://play.example.org/watch")
	assert.EqualError(t, err, "https://play.example.org/watch#KEY is a link for browsers: use HOST:PORT#KEY with the UDP port of the server, for example play.example.org:28000#KEY")
	to, err := toResolve("play.example.org:5#KEY", "play.example.org:5")
	assert.NoError(t, err)
	assert.Equal(t, "play.example.org:5", to)
}
