package main

import (
	"errors"
	"os"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/node/remote"
	"github.com/torc-engine/torc/engine/node/store"
	"github.com/torc-engine/torc/script"
)

// storeFile is where a server keeps what mods store, in its data folder.
const storeFile = "store.db"

// storing is what a loop with a server has beside the scripts: their store, and who asks from outside.
type storing struct {
	store  *store.Store
	remote *remote.Server
	wishes []*remote.Request // of who is attached, until the next tick
	afar   bool              // one of them is being fulfilled
	saving bool              // a backup is being made
}

// openStore opens the store of a server, and the socket by which other processes reach it. A game without that socket is
// still a game.
func (l *loop) openStore() (err error) {
	if l.store, err = store.Open(l.home.Path(storeFile), l.log); err != nil {
		return err
	}
	if l.remote, err = remote.Listen(l.home.Path(remote.Socket)); err != nil {
		l.log.Warn("torc console, torc backup and torc check cannot reach this server", "why", err)
	}
	return nil
}

// closeStore has all that mods have stored made safe, and the record of who did what. A second signal gives up waiting for
// the disk.
func (l *loop) closeStore() {
	if l.remote != nil {
		_ = l.remote.Close() // a socket that cannot be removed is in nobody's way
	}
	if l.store == nil {
		return
	}
	for _, s := range l.sides {
		if s.scripts != nil {
			s.scripts.Flush()
		}
	}
	closed := make(chan error, 1)
	go func() {
		err := l.store.Close()
		for _, s := range l.sides {
			if s.audit != nil {
				s.audit.Close()
			}
		}
		closed <- err
	}()
	select {
	case err := <-closed:
		if err != nil {
			l.log.Error("the store is not closed", "why", err)
		}
	case <-l.signals:
		l.log.Error("the disk does not answer: what mods have stored last, and the end of audit.log, may be lost")
		l.closeTerminal()
		os.Exit(failed)
	}
}

// storage is what the scripts of a side store in: a server's in the data folder, a client's nowhere.
func (s *side) storage() script.Store {
	if !s.host.IsServer() || s.loop.store == nil {
		return nil
	}
	return s.loop.store
}

// requests is where it comes from what other processes want; nil if none can.
func (s *storing) requests() <-chan *remote.Request {
	if s.remote == nil {
		return nil
	}
	return s.remote.Requests()
}

// wish takes in what another process wants, with the operator's rights. Lines wait for the tick; a backup answers when it
// is made.
func (l *loop) wish(r *remote.Request) {
	switch {
	case l.end != nil:
		r.Answer("", errors.New("the server is ending"))
	case r.Verb == remote.Backup:
		l.backup(r.Text, r.Answer)
	default:
		l.wishes = append(l.wishes, r)
	}
}

// fulfil does what other processes want of the console, as much as fits into a part of a tick.
func (l *loop) fulfil() {
	for start := l.now(); l.ready && l.end == nil && len(l.wishes) > 0 && l.now()-start < linesTime; {
		r := l.wishes[0]
		l.wishes = l.wishes[1:]
		l.afar = true
		r.Run(l.sides[0].console)
		l.afar = false
	}
}

// backupCommand copies the store while the game goes on.
func (l *loop) backupCommand() console.Command {
	return console.Command{
		Name: "backup", Params: "FILE", Help: "copies what mods have stored to " + store.Folder + "/FILE in the data folder",
		Run: func(args []string) (string, error) {
			if len(args) != 1 {
				return "", errors.New("usage: backup FILE")
			}
			l.backup(args[0], func(out string, err error) {
				l.posts <- func() { l.sides[0].print(out, err) }
			})
			return "", nil
		},
	}
}

// backup makes a copy beside the loop. done is told where it is, or what is wrong, on another goroutine.
func (l *loop) backup(name string, done func(string, error)) {
	if l.store == nil || l.saving {
		go done("", errors.New("a backup is being made already: wait for its end"))
		return
	}
	l.saving = true
	go func() {
		path, err := l.store.Backup(l.home.Path(""), name)
		l.posts <- func() { l.saving = false }
		done(path, err)
	}()
}
