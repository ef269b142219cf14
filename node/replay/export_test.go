package replay

import (
	"io"

	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/internal/tape"
)

// Record lets the server of a replay write a journal of its own, to measure what that costs. It has
// the calls, but none of the answers.
func (r *Replay) Record(to io.Writer) error {
	w, err := journal.NewWriter(to, journal.Header{})
	if err == nil {
		r.parts.Core.Side.Rec = tape.NewRecorder(w, r.player.Config, func(string) {}, func() {})
	}
	return err
}
