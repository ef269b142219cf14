package fleet

import (
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
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

// saving writes the copy, behind the game: nothing waits for the disk, and nothing of it is in a
// journal.
type saving struct {
	values  *values
	lists   *lists // nil: the lists are only those of this server
	file    CopyFile
	next    netcore.Time
	busy    bool // a batch is being written
	all     bool // the last batch failed, so the next one has everything
	warned  bool
	written [2]bus.Revision // the newest revisions in the file, of values and of lists
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
	var entries []store.Write
	newest := [2]bus.Revision{v.newest}
	if s.lists != nil {
		entries, newest[1] = s.lists.saves(s.all), s.lists.newest
	}
	if len(saves) == 0 && len(entries) == 0 && newest == s.written {
		return
	}
	s.busy, s.all, s.written = true, false, newest
	writes := append(writesOf(saves, v.epochs(), v.bucketLife), entries...)
	if s.lists != nil {
		writes = append(writes, lifeWrites(listsLifeKey, s.lists.bucketLife)...)
	}
	s.file.Commit(writes)
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
