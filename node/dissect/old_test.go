package dissect_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/dissect"
)

// TestACaptureOfProtocol9IsRefused: a file that torc recorded with protocol 9 is refused with both
// versions, before the first packet.
func TestACaptureOfProtocol9IsRefused(t *testing.T) {
	old, err := os.Open("testdata/protocol9.capture")
	require.NoError(t, err)
	defer old.Close()
	err = dissect.Read(old, func(*dissect.Packet) error {
		t.Error("a packet was read")
		return nil
	})
	assert.EqualError(t, err, fmt.Sprintf("the capture is of protocol version 9: this program reads version %d", netcore.ProtocolVersion))
}
