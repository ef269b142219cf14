package journals

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/tape"
)

// defaultMax is the default of sv.journalMax, in MiB.
const defaultMax = 1024

// Options say where a server writes all its inputs. At most one of Folder and Writer is set.
type Options struct {
	Folder   string    // of journals, one for each run
	Writer   io.Writer // gets the journal
	Restarts bool      // the console of the server has the command restart
}

// A Service records all inputs of a server.
type Service struct {
	core.Passive
	core.OfMachine
	core  *core.Core
	opts  Options
	rec   *tape.Recorder // nil: no journal is written
	file  *File          // nil: there is none in a folder
	max   int            // sv.journalMax
	why   atomic.Value   // a string: why the journal has ended before the server; nil: it has not
	bytes atomic.Int64   // the same in bytes, for the goroutine of the file
}

// New opens the journal. Record begins it.
func New(c *core.Core, opts Options) (*Service, error) {
	s := &Service{core: c, opts: opts, max: defaultMax}
	s.bytes.Store(defaultMax << 20)
	if opts.Folder == "" {
		return s, nil
	}
	var err error
	if s.file, err = Open(opts.Folder, c.From.Date(), s.bytes.Load); err != nil {
		return nil, &core.ConfigError{Field: "Journal", Value: opts.Folder, Err: err}
	}
	return s, nil
}

// Out gets the journal; nil: none is written.
func (s *Service) Out() io.Writer {
	if s.file != nil {
		return s.file
	}
	return s.opts.Writer
}

// Record records what the side is given.
func (s *Service) Record(r *tape.Recorder) { s.rec = r }

// Ended learns that the journal ends before the server. Any goroutine can call it.
func (s *Service) Ended(why string) {
	s.why.Store(why)
	s.core.Log.Warn("the journal ends", "why", why)
}

// Marked keeps the journal longer than others because a place in it was marked.
func (s *Service) Marked() {
	if s.file == nil || !s.file.Mark() {
		return
	}
	s.core.Log.Warn("the journal has a mark, and is kept longer than others", "file", s.file.Path(), "tick", s.core.Side.Host.TickNumber())
}

// Close writes the rest of the journal. It comes after the last input of the server.
func (s *Service) Close() error {
	if side := s.core.Side; side != nil && side.Scripts != nil {
		s.rec.Finish(side.Host, side.Scripts.Runtime)
	}
	if s.file != nil {
		if err := s.file.Close(); err != nil {
			s.core.Log.Error(err.Error())
		}
	}
	return nil
}

// Crashed marks a panic, and saves the rest of the journal before the process ends.
func (s *Service) Crashed() {
	s.rec.Crash("panic\tthe server crashed")
	_ = s.Close() // it never fails
}

// Variables is sv.journalMax.
func (s *Service) Variables() []console.Var {
	changed := func() error { s.bytes.Store(int64(s.max) << 20); return nil }
	return []console.Var{{Name: "sv.journalMax", Help: "MiB of all journals in the folder; older runs are deleted, and a longer one ends", Value: console.Hook(console.Int(&s.max, 1, 1<<20), changed)}}
}

var errNoJournal = errors.New("this server writes no journal: start it with --journal DIR")

// none says why no journal is written.
func (s *Service) none() error {
	if why := s.why.Load(); why != nil {
		return fmt.Errorf("the journal has ended: %v", why)
	}
	return errNoJournal
}

// Commands is journal.
func (s *Service) Commands() []console.Command {
	return []console.Command{{
		Name: "journal", Params: "[on|off|keep [NAME]]", Help: "shows where all inputs of this server are recorded for torc replay; keep keeps a journal from deletion",
		Run: s.run,
	}}
}

func (s *Service) run(args []string) (string, error) {
	verb := strings.Join(args[:min(1, len(args))], "")
	switch {
	case verb == "on" && s.rec.On():
		return "a journal is being written", nil
	case verb == "on" && s.Out() != nil && s.opts.Restarts:
		return "", errors.New("a journal has all inputs, so it begins with the server: type restart, which begins a new one while players come back")
	case verb == "on":
		return "", errors.New("a journal has all inputs, so it begins with the server: end the server, and start it with --journal DIR")
	case !s.rec.On() && verb != "keep":
		return "", s.none()
	case verb == "":
		return s.status(), nil
	case verb == "off" && len(args) == 1:
		s.rec.Stop("the operator has ended it")
		return "the journal ends here", nil
	case verb == "keep" && s.file == nil:
		return "", errNoJournal
	case verb == "keep" && len(args) == 1:
		return s.file.Path(), s.file.Keep()
	case verb == "keep" && len(args) == 2:
		return s.file.KeepOther(args[1])
	}
	return "", errors.New("usage: journal [on|off|keep [NAME]]")
}

// status describes the journal.
func (s *Service) status() string {
	if s.file == nil {
		return "a journal is being written"
	}
	return fmt.Sprintf("%s, %.1f MiB, since %v", filepath.ToSlash(s.file.Path()), float64(s.file.Size())/(1<<20), s.core.Now().Round(time.Second))
}
