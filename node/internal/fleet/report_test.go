package fleet

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// TestTargets: Prometheus gets the servers with metrics, each with its name.
func TestTargets(t *testing.T) {
	r := ReportOf([]bus.Server{
		{Name: "a", Key: seal.Key{1}, Address: "10.0.0.1:28000", Metrics: "10.0.0.1:9100"},
		{Name: "b", Key: seal.Key{2}, Address: "10.0.0.2:28000"},
		{Name: "c", Key: seal.Key{3}, Address: "10.0.0.3:28000", Metrics: "10.0.0.3:9100\n"},
		{Name: "<b>", Key: seal.Key{4}, Address: "10.0.0.4:28000", Metrics: "10.0.0.4:9100"},
	})
	assert.Equal(t, `[{"targets":["10.0.0.1:9100"],"labels":{"server":"a"}}]`, r.Targets())
	assert.Len(t, r.Servers, 3)
}

// TestDurability: the list says when a value can be lost by a power failure.
func TestDurability(t *testing.T) {
	for sync, want := range map[string]string{"always": "MISSION", "": "durability unknown", "2m0s": "2m0s after its acknowledgement"} {
		assert.Contains(t, Report{Line: "up", Sync: sync}.String(), want)
	}
}
