package meeting

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

// TestTryLater checks which refusals end the tries of a client that comes back.
func TestTryLater(t *testing.T) {
	for text, later := range map[string]bool{
		"server is full (32)":             true,
		"the server is paused: try again": true,
		"the server checks too many connect requests at the moment: try again":           true,
		"the server demands too much work of its clients at the moment: try again later": true,
		"too many wrong passwords from your address: try again in 54s":                   true,
		"wrong password":  false,
		engine.ClosedText: false,
		"you are banned":  false,
		"":                false,
	} {
		assert.Equal(t, later, TryLater(netcore.Reason{Code: netcore.Refused, Text: text}), text)
	}
	assert.True(t, TryLater(netcore.Reason{Code: netcore.ConnectTimeout}))
	assert.False(t, TryLater(netcore.Reason{Code: netcore.KeyChanged, Text: "server is full"}))
}
