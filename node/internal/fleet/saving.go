package fleet

import (
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/script/store"
)

// A CopyFile is the file with the copy of what the fleet keeps.
type CopyFile interface {
	Commit(batch []store.Write) uint64
	Done() []store.Outcome
	Close() error
}

// saveEvery is the time between two saves at least.
const saveEvery = 5 * time.Second

// saving writes the copy, behind the game: nothing waits for the disk, and nothing of it is in a journal.
type saving struct {
	values  *values
	file    CopyFile
	next    netcore.Time
	busy    bool // a batch is being written
	all     bool // the last batch failed, so the next one has everything
	warned  bool
	written uint64 // the newest revision in the file
}

// step runs before each tick.
func (s *saving) step() {
	s.ended()
	if now := s.values.service.core.Now(); !s.busy && now >= s.next {
		s.next = now + saveEvery
		s.save()
	}
}

// ended looks whether a batch has ended. A failure is said once, until it works again.
func (s *saving) ended() {
	for _, o := range s.file.Done() {
		s.busy = false
		switch {
		case o.Err == nil:
			s.warned = false
		case !s.warned:
			s.warned = true
			s.values.service.core.Log.Warn("the copy of what the fleet keeps is behind: "+o.Err.Error(), "file", CopyName)
		}
		s.all = s.all || o.Err != nil
	}
}

// save writes what has changed.
func (s *saving) save() {
	v := s.values
	saves := v.service.core.Side.Scripts.Saves(s.all)
	if len(saves) == 0 && uint64(v.newest) == s.written {
		return
	}
	s.busy, s.all, s.written = true, false, uint64(v.newest)
	s.file.Commit(writesOf(saves, v.epochs(), v.epoch, v.newest))
}

// close writes the last changes, and closes the file. Those that the fleet has not taken are in it.
func (s *saving) close() error {
	if side := s.values.service.core.Side; side != nil && side.Scripts != nil {
		side.Scripts.SettleShared()
		s.save()
	}
	err := s.file.Close()
	s.ended()
	return err
}
