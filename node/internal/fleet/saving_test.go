package fleet

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script/store"
)

// A deadFile ends each batch with an error, nil for none.
type deadFile struct{ err error }

func (f *deadFile) Commit([]store.Write) uint64 { return 1 }
func (f *deadFile) Done() []store.Outcome       { return []store.Outcome{{Batch: 1, Err: f.err}} }
func (f *deadFile) Close() error                { return nil }

// TestFailingCopyIsSaidOnce: a copy that cannot be written is one warning until it works again.
// The values of the failed batch are in the next one.
func TestFailingCopyIsSaidOnce(t *testing.T) {
	var log strings.Builder
	f := &deadFile{errors.New("the disk is full: /data")}
	s := &saving{file: f, values: &values{service: &Service{core: &core.Core{Owner: &core.Owner{Log: slog.New(slog.NewTextHandler(&log, nil))}}}}}
	says := func() int {
		return strings.Count(log.String(), "the copy of what the fleet keeps is behind: the disk is full: /data")
	}
	for range 3 {
		s.busy = true
		s.ended()
		assert.Equal(t, 1, says())
		assert.True(t, s.all, "everything is written next")
		assert.False(t, s.busy, "it is tried again")
	}
	f.err, s.all = nil, false
	s.ended()
	assert.False(t, s.all)
	f.err = errors.New("the disk is full: /data")
	s.ended()
	assert.Equal(t, 2, says())
}
