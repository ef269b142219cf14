package node

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script/store"
)

// storage is the stored values of mods.
type storage struct {
	store.Store
	folder string
	file   storeFile // nil: the values are in memory
	saving bool      // a backup is being made
	keep   int       // sv.backups: automatic backups that stay
	jobs   sync.WaitGroup
}

// storeFile is the file of a store.
type storeFile interface {
	store.Store
	// Backup copies the store to a file of this name in the data folder, and returns its path.
	Backup(folder, name string) (path string, err error)
	// AutoBackup does the same under a name of the time, and deletes all but the newest such copies.
	AutoBackup(folder string, now time.Time, keep int) (path string, err error)
	Close() error
}

func openStorage(given store.Store, h *core.Home, log *slog.Logger) (*storage, error) {
	if given != nil {
		return &storage{Store: given}, nil
	}
	if !h.HasFolder() {
		return &storage{Store: store.NewMemory()}, nil
	}
	file, err := openStore(h.Path(storeName), log)
	if err != nil {
		return nil, err
	}
	return &storage{Store: file, folder: h.Path(""), file: file}, nil
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
func (s *storage) backup(p *core.Posts, name string, done func(path string, err error)) {
	if err := s.canBackup(); err != nil {
		go done("", err)
		return
	}
	s.saving = true
	keep := s.keep
	s.jobs.Add(1)
	go func() {
		path, err := s.copy(name, keep)
		s.jobs.Done()
		p.Post(func() { s.saving = false })
		done(path, err)
	}()
}

// canBackup returns why no backup can begin now, or nil.
func (s *storage) canBackup() error {
	switch {
	case s.file == nil:
		return errors.New("this server has no data folder: its mod store is in memory and cannot be copied")
	case s.saving:
		return errors.New("another backup is running: wait until it ends")
	}
	return nil
}

// copy makes a backup. Without a name it makes an automatic one.
func (s *storage) copy(name string, keep int) (path string, err error) {
	if name == "" {
		return s.file.AutoBackup(s.folder, time.Now(), keep)
	}
	return s.file.Backup(s.folder, name)
}

// variables are the console variables of the store.
func (s *storage) variables() []console.Var {
	s.keep = 24
	return []console.Var{{Name: "sv.backups", Help: "automatic backups that stay; the command backup without a name deletes older ones", Value: console.Int(&s.keep, 1, 1000)}}
}

// backupCommand copies the store while the game goes on. A line of another process waits for the copy.
func (s *Server) backupCommand() console.Command {
	return console.Command{
		Name: "backup", Params: "[FILE]", Help: "copies the mod store to " + backupFolder + "/FILE in the data folder; without FILE to a new file, and the oldest of these go (sv.backups)",
		Run: func(args []string) (string, error) {
			if len(args) > 1 {
				return "", errors.New("usage: backup [FILE]")
			}
			if err := s.storage.canBackup(); err != nil {
				return "", err
			}
			done := s.requests.later()
			if done == nil {
				done = func(out string, err error) { s.core.Post(func() { s.core.Side.Print(out, err) }) }
			}
			s.storage.backup(s.core.Posts, strings.Join(args, ""), done)
			return "", nil
		},
	}
}
