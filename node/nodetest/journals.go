package nodetest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/replay"
)

// journalName returns the name of the journal of a process of the server.
func journalName(life int) string { return fmt.Sprintf("%03d.torcj", life) }

// openJournal makes the file for the journal of a new process, if the run has journals.
func (v *server) openJournal() (*node.Journal, error) {
	if v.system.record == "" {
		return nil, nil
	}
	var err error
	if v.diary, err = os.Create(filepath.Join(v.system.record, journalName(v.life))); err != nil {
		return nil, err
	}
	return &node.Journal{Writer: v.diary}, nil
}

// closeJournal closes the file of a process that has ended.
func (v *server) closeJournal() {
	if v.diary == nil {
		return
	}
	if err := v.diary.Close(); err != nil {
		v.system.fail("journal", "%v", err)
	}
	v.diary = nil
}

// Replayed is what a replay has found.
type Replayed struct {
	Ticks      uint64
	Skipped    uint64 // ticks that the server left out because it stood still
	Difference string // the first one from the journal, or ""
}

// Replay runs a process of the server again from its journal, and passes the output of its console
// to out. A nil out discards it.
func Replay(journal string, out func(line string)) (Replayed, error) {
	in, err := os.Open(journal)
	if err != nil {
		return Replayed{}, err
	}
	defer in.Close()
	r, err := replay.New(in, replay.Config{Register: registerPuppet, Output: out})
	if err != nil {
		return Replayed{}, err
	}
	for err == nil && r.Difference() == "" {
		err = r.Step()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	due := uint64(r.Now() / r.Host().Pace.TickLength())
	found := Replayed{r.Tick(), due - min(due, r.Tick()), r.Difference()}
	return found, errors.Join(err, r.Close())
}
