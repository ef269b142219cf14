package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
)

// TestInboxHasItsCap lets a peer send more events than scripts take. The connection ends.
func TestInboxHasItsCap(t *testing.T) {
	c := new(Connection)
	for range maxInbox {
		require.NoError(t, c.inbox.add(new(remoteCommand)))
	}
	err := c.inbox.add(new(remoteCommand))
	assert.Equal(t, netcore.Reason{Code: netcore.Overflow, Text: "too many events are queued for scripts"}, err)
	assert.Len(t, c.inbox.items, maxInbox)
}

// TestWaitingCommandsAreBounded: of the commands of a peer that has used its share, the oldest
// wait. Other events all do.
func TestWaitingCommandsAreBounded(t *testing.T) {
	c, all := new(Connection), []inboxItem(nil)
	for i := range 3 * maxWaiting {
		if i%3 == 0 {
			all = append(all, new(hello))
		} else {
			all = append(all, &remoteCommand{size: uint32(i)})
		}
	}
	c.inbox.items = append(c.inbox.items, all...)
	c.inbox.refuseWaiting()
	assert.Len(t, c.inbox.items, maxWaiting+maxWaiting)
	assert.Equal(t, maxWaiting, c.inbox.tooMany)
	assert.Equal(t, all[:3*maxWaiting/2], c.inbox.items[:3*maxWaiting/2], "the oldest stay, in their order")
}
