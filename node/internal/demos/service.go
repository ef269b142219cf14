package demos

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script"
)

const (
	demoFolder  = "demos" // in the data folder
	usualDemo   = 1024    // the default of sv.demoMax, in MiB, and the limit of a client
	largestDemo = 1 << 20 // MiB
	memoryDemo  = 256     // MiB; the limit of a demo in memory
)

// A file takes the bytes of a demo. Path names it.
type file interface {
	Path() string
	Size() int64
	Write(b []byte) error
	Close()
	Done() bool
	Wait() error
	Drop()
}

// A Service records the demos of a side.
type Service struct {
	core.Passive
	core.OfMachine
	core    *core.Core
	version string                      // of the program
	folder  string                      // "": there is no data folder
	keep    func(string, [][]byte)      // gets the demos of the command; nil: they are files in the folder
	most    int                         // sv.demoMax: MiB of a demo
	began   uint64                      // tick of the side
	file    file                        // nil: nothing is recorded
	writing []file                      // ended, and not yet on the disk
	why     error                       // why the recording ends; nil: somebody asked for it
	hud     [script.HudLines + 1]string // of a client, by line
}

// New returns the recorder of a side. keep gets the demos of the command record; nil: they are
// files in the data folder. version is that of the program.
func New(c *core.Core, version string, keep func(name string, parts [][]byte)) *Service {
	s := &Service{core: c, version: version, keep: keep, most: usualDemo}
	c.Before(func() { s.finish(false) })
	if c.Home.HasFolder() {
		s.folder = c.Home.Path(demoFolder)
	}
	return s
}

// Commands is record.
func (s *Service) Commands() []console.Command {
	help := "records a demo into the folder demos of the data folder, for torc replay; stop ends it; alone it shows the state"
	if s.keep != nil {
		help = "records a demo; stop ends it, and then the program gets the file; alone it shows the state"
	}
	return []console.Command{{Name: "record", Params: "[NAME|stop]", Help: help, Run: s.command}}
}

// Variables is sv.demoMax, of a server.
func (s *Service) Variables() []console.Var {
	if !s.core.Side.Host.IsServer() {
		return nil
	}
	return []console.Var{{Name: "sv.demoMax", Help: "largest size of a demo of this server in MiB; then its recording ends", Value: console.Int(&s.most, 1, largestDemo)}}
}

// command is `record`.
func (s *Service) command(args []string) (string, error) {
	switch {
	case len(args) > 1:
		return "", errors.New("usage: record [NAME|stop]")
	case len(args) == 0 && s.file == nil:
		return "nothing is recorded", nil
	case len(args) == 0:
		return "recording " + s.text(), nil
	case args[0] == "stop":
		if !s.core.Side.Host.Demos.Stop() {
			return "", errors.New("nothing is recorded")
		}
		return "", nil
	case s.folder == "" && s.keep == nil:
		return "", errors.New("there is no data folder for demos: start with --data DIR")
	}
	name, err := FileName(args[0])
	if err != nil {
		return "", err
	}
	if s.keep != nil {
		return "", s.record(func(header []byte) (file, error) { return NewMemory(name, header, memoryDemo<<20, s.keep) })
	}
	return "", s.Record(filepath.Join(s.folder, name))
}

// Record begins a demo in a new file.
func (s *Service) Record(path string) error {
	return s.record(func(header []byte) (file, error) { return Create(path, header, int64(s.most)<<20) })
}

// record begins a demo. create makes its file with a header.
func (s *Service) record(create func(header []byte) (file, error)) error {
	if s.file != nil {
		return fmt.Errorf("%s is being recorded: record stop ends it", s.file.Path())
	}
	header := s.core.Side.Host.Demos.Header()
	header.Began, header.Program = uint64(time.Now().UnixMilli()), s.version
	if s.core.Side.Host.IsServer() {
		header.Mission = s.core.Side.Scripts.Mission()
	}
	f, err := create(header.Bytes())
	if err != nil {
		return err
	}
	if err := s.core.Side.Host.Demos.Record(spectate.Sink{Begun: s.keepHud, Chunk: f.Write, Ended: s.ended}); err != nil {
		f.Drop()
		return err
	}
	s.file, s.began = f, s.core.Side.Host.TickNumber()
	s.core.Print("recording " + f.Path())
	return nil
}

// text describes the demo.
func (s *Service) text() string {
	length := time.Duration(s.core.Side.Host.TickNumber()-s.began) * sim.TickMs * time.Millisecond
	return fmt.Sprintf("%s: %.1f MiB, %v", s.file.Path(), float64(s.file.Size())/(1<<20), length.Round(time.Second))
}

// ended ends the file of a demo, and says so in one line.
func (s *Service) ended(why error) {
	text := "recorded " + s.text()
	why = cmp.Or(why, s.why)
	s.why = nil
	if why != nil {
		text = fmt.Sprintf("the recording has ended: %v. %s", why, text)
	}
	s.core.Print(text)
	s.file.Close()
	s.writing = append(s.writing, s.file)
	s.file = nil
}

// Leave ends the recording of a client that goes to another server.
func (s *Service) Leave() {
	if s.file != nil {
		s.why = errors.New("the client goes to another server")
		s.core.Side.Host.Demos.Stop()
	}
}

// finish forgets the ended demos that are on the disk, and says which of them failed. With wait it
// waits for all.
func (s *Service) finish(wait bool) {
	s.writing = slices.DeleteFunc(s.writing, func(f file) bool {
		if !wait && !f.Done() {
			return false
		}
		if err := f.Wait(); err != nil {
			s.core.Print(fmt.Sprintf("error: the demo %s is not complete: %v", f.Path(), err))
		}
		return true
	})
}

// Close ends the recording, and waits until everything is on the disk.
func (s *Service) Close() error {
	if s.core.Side != nil {
		s.core.Side.Host.Demos.Stop()
		s.finish(true)
	}
	return nil
}

// HudTo returns a function that notes and records the lines of the HUD of a client, and passes them
// to show, which can be nil.
func (s *Service) HudTo(show func(line int, text string)) func(line int, text string) {
	return func(line int, text string) {
		s.hud[line] = text
		s.keepLine(line)
		if show != nil {
			show(line, text)
		}
	}
}

// keepHud records all lines of the HUD.
func (s *Service) keepHud() {
	for line, text := range s.hud {
		if text != "" {
			s.keepLine(line)
		}
	}
}

func (s *Service) keepLine(line int) {
	s.core.Side.Host.Demos.Keep(fmt.Sprint("hud ", line), sim.Tag("Hud"), sim.Number(float64(line)), sim.String(s.hud[line]))
}
