package storage

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

const (
	// FileName is the store's file in the data folder.
	FileName = "store.db"
	// Folder is the folder of backups in the data folder.
	Folder = "backups"

	defaultKeep = 24 // automatic backups that stay
)

// A Service keeps the values that mods store, and copies them.
type Service struct {
	core.Passive
	core.OfMachine
	store.Store
	core   *core.Core
	folder string
	file   File // nil: the values are in memory
	saving bool // a backup is being made
	keep   int  // sv.backups: automatic backups that stay
	jobs   sync.WaitGroup
}

// A File is the file of a store.
type File interface {
	store.Store
	// Backup copies the store to a file of this name in the data folder, and returns its path.
	Backup(folder, name string) (path string, err error)
	// AutoBackup does the same under a name of the time, and deletes all but the newest such
	// copies.
	AutoBackup(folder string, now time.Time, keep int) (path string, err error)
	Close() error
}

// New opens the stored values of a server: the given ones, or those of the data folder, or new ones
// in memory. open opens the file of a folder; nil: this platform has none.
func New(c *core.Core, given store.Store, open func(path string, log *slog.Logger) (File, error)) (*Service, error) {
	s := &Service{core: c, keep: defaultKeep}
	switch {
	case given != nil:
		s.Store = given
	case !c.Home.HasFolder():
		s.Store = store.NewMemory()
	default:
		file, err := open(c.Home.Path(FileName), c.Log)
		if err != nil {
			return nil, err
		}
		s.Store, s.file = file, file
		s.folder = c.Home.Path("")
	}
	return s, nil
}

// Close returns when everything is safe on the disk, or has failed.
func (s *Service) Close() error {
	s.jobs.Wait()
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// Backup copies the store on a goroutine of its own. done gets the path of the copy, or an error,
// on another goroutine than the owner's.
func (s *Service) Backup(name string, done func(path string, err error)) {
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
		s.core.Post(func() { s.saving = false })
		done(path, err)
	}()
}

// canBackup returns why no backup can begin now, or nil.
func (s *Service) canBackup() error {
	switch {
	case s.file == nil:
		return errors.New("this server has no data folder: its mod store is in memory and cannot be copied")
	case s.saving:
		return errors.New("another backup is running: wait until it ends")
	}
	return nil
}

// copy makes a backup. Without a name it makes an automatic one.
func (s *Service) copy(name string, keep int) (path string, err error) {
	if name == "" {
		return s.file.AutoBackup(s.folder, time.Now(), keep)
	}
	return s.file.Backup(s.folder, name)
}

// Variables is sv.backups.
func (s *Service) Variables() []console.Var {
	return []console.Var{{Name: "sv.backups", Help: "automatic backups that stay; the command backup without a name deletes older ones", Value: console.Int(&s.keep, 1, 1000)}}
}

// Commands is backup. It copies the store while the game goes on. A line of another process waits
// for the copy.
func (s *Service) Commands() []console.Command {
	return []console.Command{{
		Name: "backup", Params: "[FILE]", Help: "copies the mod store to " + Folder + "/FILE in the data folder; without FILE to a new file, and the oldest of these go (sv.backups)",
		Run: func(args []string) (string, error) {
			if len(args) > 1 {
				return "", errors.New("usage: backup [FILE]")
			}
			if err := s.canBackup(); err != nil {
				return "", err
			}
			done := s.core.Later()
			if done == nil {
				done = func(out string, err error) { s.core.Post(func() { s.core.Side.Print(out, err) }) }
			}
			s.Backup(strings.Join(args, ""), done)
			return "", nil
		},
	}}
}
