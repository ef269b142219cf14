package node

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/journals"
)

// A Journal says where a server writes all its inputs. One of the fields is set.
type Journal struct {
	Folder string    // of journals, one for each run
	Writer io.Writer // gets the journal; it must not block
}

// defaultJournalMax is the default of sv.journalMax, in MiB.
const defaultJournalMax = 1024

// openJournal opens the journal of the Config. nil is none.
func (s *Server) openJournal() (io.Writer, error) {
	s.journalMax = defaultJournalMax
	s.journalBytes.Store(defaultJournalMax << 20)
	if s.cfg.Server.Journal == nil {
		return nil, nil
	}
	if s.cfg.Server.Journal.Folder == "" {
		return s.cfg.Server.Journal.Writer, nil
	}
	var err error
	s.journal, err = journals.Open(s.cfg.Server.Journal.Folder, s.core.From.Date(), s.journalBytes.Load)
	if err != nil {
		return nil, &ConfigError{Field: "Journal", Value: s.cfg.Server.Journal.Folder, Err: err}
	}
	return s.journal, nil
}

// journalEnded learns that the journal ends before the server.
func (s *Server) journalEnded(why string) { s.core.Log.Warn("the journal ends", "why", why) }

// keepJournal keeps the journal longer than others because a place in it was marked.
func (s *Server) keepJournal() {
	if s.journal == nil || !s.journal.Mark() {
		return
	}
	s.core.Log.Warn("the journal has a mark, and is kept longer than others", "file", s.journal.Path(), "tick", s.core.Side.Host.TickNumber())
}

// closeTape writes the rest of the journal.
func (s *Server) closeTape() {
	if s.core.Side != nil && s.core.Side.Scripts != nil {
		s.rec.Finish(s.core.Side.Host, s.core.Side.Scripts.Runtime)
	}
	if s.journal != nil {
		if err := s.journal.Close(); err != nil {
			s.core.Log.Error(err.Error())
		}
	}
}

// crashed marks a panic, and saves the rest of the journal before the process ends.
func (s *Server) crashed() {
	s.rec.Crash("panic\tthe server crashed")
	s.closeTape()
}

// journalVars are the variables of journals.
func (s *Server) journalVars() []console.Var {
	changed := func() error { s.journalBytes.Store(int64(s.journalMax) << 20); return nil }
	return []console.Var{{Name: "sv.journalMax", Help: "MiB of all journals in the folder; older runs are deleted, and a longer one ends", Value: console.Hook(console.Int(&s.journalMax, 1, 1<<20), changed)}}
}

var errNoJournal = errors.New("this server writes no journal: start it with --journal DIR")

// journalCommand is `journal`.
func (s *Server) journalCommand() console.Command {
	return console.Command{
		Name: "journal", Params: "[on|off|keep [NAME]]", Help: "shows where all inputs of this server are recorded for torc replay; keep keeps a journal from deletion",
		Run: s.runJournal,
	}
}

func (s *Server) runJournal(args []string) (string, error) {
	verb := strings.Join(args[:min(1, len(args))], "")
	switch {
	case verb == "on" && s.rec.On():
		return "a journal is being written", nil
	case verb == "on" && s.cfg.Server.Journal != nil && s.cfg.Server.Restarts:
		return "", errors.New("a journal has all inputs, so it begins with the server: type restart, which begins a new one while players come back")
	case verb == "on":
		return "", errors.New("a journal has all inputs, so it begins with the server: end the server, and start it with --journal DIR")
	case !s.rec.On() && verb != "keep":
		return "", errNoJournal
	case verb == "":
		return s.journalStatus(), nil
	case verb == "off" && len(args) == 1:
		s.rec.Stop("the operator has ended it")
		return "the journal ends here", nil
	case verb == "keep" && s.journal == nil:
		return "", errNoJournal
	case verb == "keep" && len(args) == 1:
		return s.journal.Path(), s.journal.Keep()
	case verb == "keep" && len(args) == 2:
		return s.journal.KeepOther(args[1])
	}
	return "", errors.New("usage: journal [on|off|keep [NAME]]")
}

// journalStatus describes the journal.
func (s *Server) journalStatus() string {
	if s.journal == nil {
		return "a journal is being written"
	}
	return fmt.Sprintf("%s, %.1f MiB, since %v", filepath.ToSlash(s.journal.Path()), float64(s.journal.Size())/(1<<20), s.core.Now().Round(time.Second))
}
