package fleet

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/tape"
)

// TestWarningsOfABackwardClock: a peer is named once in 10 s. A clock that was set back does not
// silence the warnings until it has caught up.
func TestWarningsOfABackwardClock(t *testing.T) {
	var log strings.Builder
	w := &ticketing{service: &Service{core: &core.Core{Owner: &core.Owner{Log: slog.New(slog.NewTextHandler(&log, nil))}}}, warned: map[string]time.Time{}}
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	said := func(now time.Time) int {
		w.warn("arena-2", tape.Opened{Now: now}, seal.ErrTicketForged)
		return strings.Count(log.String(), "a ticket does not count")
	}
	assert.Equal(t, 1, said(noon))
	assert.Equal(t, 1, said(noon.Add(9*time.Second)))
	assert.Equal(t, 2, said(noon.Add(10*time.Second)))
	assert.Equal(t, 3, said(noon.Add(-time.Hour)))
	assert.Equal(t, 3, said(noon.Add(-time.Hour+time.Second)))
	assert.Equal(t, 4, said(noon))
	assert.Len(t, w.warned, 1)
}
