package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore/seal"
)

// queueRig is a server whose orders go nowhere: sealing fails, and the ticket of each order tells
// who was served.
func queueRig() (h *Host, served *[]string) {
	served = new([]string)
	h = &Host{cfg: Config{Server: true, SealTicket: func(_, _ seal.Key, data []byte) ([]byte, error) {
		*served = append(*served, string(data))
		return nil, fmt.Errorf("enough")
	}}, Settings: DefaultSettings()}
	h.attach()
	return h, served
}

// waits puts a player of an address into the queue.
func waits(h *Host, by, ip, name string) {
	c := &Connection{host: h, peer: peer{inbound: true}}
	c.Line.conn, c.Line.from = c, udpFrom(ip)
	h.transfers.queue(c, TransferOrder{}, []byte(name), by, nil)
}

// TestTransfersTakeTurns checks that a mod that sends away 250 players of 1, 32 or 250 addresses
// does not delay another mod, and an address with many players no other address of the mod.
func TestTransfersTakeTurns(t *testing.T) {
	for _, addresses := range []int{1, 32, 250} {
		h, served := queueRig()
		for i := range 250 {
			waits(h, "hub", fmt.Sprintf("10.0.%d.1", i%addresses), "many")
		}
		waits(h, "hub", "192.0.2.1", "alone")
		waits(h, "games", "192.0.2.2", "other")
		for len(h.transfers.waiting) > 0 {
			h.tick++
			h.transfers.step()
		}
		at := func(name string) int {
			for i, n := range *served {
				if n == name {
					return i
				}
			}
			return -1
		}
		assert.Len(t, *served, 252)
		assert.LessOrEqual(t, at("other"), 1, "%d addresses", addresses)
		assert.LessOrEqual(t, at("alone"), 2+addresses, "%d addresses", addresses)
	}
}

// TestTransfersPerSecond checks that at most 20 orders a second are sent, evenly, and that one
// order does not wait.
func TestTransfersPerSecond(t *testing.T) {
	h, served := queueRig()
	h.tick = 1000
	for range 100 {
		waits(h, "hub", "10.0.0.1", "")
	}
	most, counts := 0, []int{}
	for range 200 {
		before := len(*served)
		h.tick++
		h.transfers.step()
		most = max(most, len(*served)-before)
		counts = append(counts, len(*served))
	}
	assert.Equal(t, 1, counts[0])
	assert.Equal(t, 1, most)
	const second = 31 // ticks
	for i := second; i < len(counts); i++ {
		assert.LessOrEqual(t, counts[i]-counts[i-second], int(time.Second/transferPause))
	}
	assert.Len(t, *served, 100, "100 players in 6.4 s")
}
