package nodetest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/torc-engine/torc/node"
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

// Replay runs a process of the server again from its journal, and passes what its console prints to out. It returns the last tick, and
// the first difference from the journal or "".
func Replay(journal string, out func(line string)) (tick uint64, difference string, err error) {
	in, err := os.Open(journal)
	if err != nil {
		return 0, "", err
	}
	defer in.Close()
	r, err := node.NewReplay(in, node.ReplayConfig{Register: registerPuppet, Output: out})
	if err != nil {
		return 0, "", err
	}
	for err == nil && r.Difference() == "" {
		err = r.Step()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return r.Tick(), r.Difference(), errors.Join(err, r.Close())
}
