package node

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/torc-engine/torc/script"
)

// storage is the stored values of mods.
type storage struct {
	script.Store
	folder string
	file   storeFile // nil: the values are in memory
	saving bool      // a backup is being made
	jobs   sync.WaitGroup
}

// storeFile is the file of a store.
type storeFile interface {
	script.Store
	// Backup copies the store to a file of this name in the data folder, and returns its path.
	Backup(folder, name string) (path string, err error)
	Close() error
}

func openStorage(h *home, log *slog.Logger) (*storage, error) {
	if h.folder == nil {
		return &storage{Store: script.NewMemoryStore()}, nil
	}
	file, err := openStore(h.path(storeName), log)
	if err != nil {
		return nil, err
	}
	return &storage{Store: file, folder: h.path(""), file: file}, nil
}

// close returns when everything is safe on the disk, or has failed.
func (s *storage) close() error {
	s.jobs.Wait()
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// backup copies the store on a goroutine of its own. done gets the path of the copy, or an error,
// on another goroutine than the owner's.
func (s *storage) backup(p *posts, name string, done func(path string, err error)) {
	switch {
	case s.file == nil:
		go done("", errors.New("this server has no data folder: its mod store is in memory and cannot be copied"))
		return
	case s.saving:
		go done("", errors.New("another backup is running: wait until it ends"))
		return
	}
	s.saving = true
	s.jobs.Add(1)
	go func() {
		path, err := s.file.Backup(s.folder, name)
		s.jobs.Done()
		p.post(func() { s.saving = false })
		done(path, err)
	}()
}
