package node

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/demos"
	"github.com/torc-engine/torc/script"
)

const (
	demoFolder  = "demos" // in the data folder
	usualDemo   = 1024    // the default of sv.demoMax, in MiB, and the limit of a client
	largestDemo = 1 << 20 // MiB
	memoryDemo  = 256     // MiB; the limit of a demo in memory
)

// A demoFile takes the bytes of a demo. Path names it.
type demoFile interface {
	Path() string
	Size() int64
	Write(b []byte) error
	Close()
	Done() bool
	Wait() error
	Drop()
}

// A demoRecorder records the demos of a side.
type demoRecorder struct {
	side    *core.Side
	print   func(text string)
	version string                      // of the program
	folder  string                      // "": there is no data folder
	keep    func(string, [][]byte)      // gets the demos of the command; nil: they are files in the folder
	most    int                         // sv.demoMax: MiB of a demo
	began   uint64                      // tick of the side
	file    demoFile                    // nil: nothing is recorded
	writing []demoFile                  // ended, and not yet on the disk
	hud     [script.HudLines + 1]string // of a client, by line
}

// newDemoRecorder makes the recorder of a side, and registers its command.
func newDemoRecorder(s *core.Side, o *core.Owner, h *core.Home, cfg Config) (*demoRecorder, error) {
	d := &demoRecorder{side: s, print: o.Print, version: cfg.Version, keep: cfg.Client.Demo, most: usualDemo}
	o.Before(func() { d.finish(false) })
	if h.HasFolder() {
		d.folder = h.Path(demoFolder)
	}
	help := "records a demo into the folder demos of the data folder, for torc replay; stop ends it; alone it shows the state"
	if d.keep != nil {
		help = "records a demo; stop ends it, and then the program gets the file; alone it shows the state"
	}
	return d, s.Console.Register(console.Command{Name: "record", Params: "[NAME|stop]", Help: help, Run: d.command})
}

// variable is `sv.demoMax`.
func (d *demoRecorder) variable() console.Var {
	return console.Var{Name: "sv.demoMax", Help: "largest size of a demo of this server in MiB; then its recording ends", Value: console.Int(&d.most, 1, largestDemo)}
}

// command is `record`.
func (d *demoRecorder) command(args []string) (string, error) {
	switch {
	case len(args) > 1:
		return "", errors.New("usage: record [NAME|stop]")
	case len(args) == 0 && d.file == nil:
		return "nothing is recorded", nil
	case len(args) == 0:
		return "recording " + d.text(), nil
	case args[0] == "stop":
		if !d.side.Host.StopDemo() {
			return "", errors.New("nothing is recorded")
		}
		return "", nil
	case d.folder == "" && d.keep == nil:
		return "", errors.New("there is no data folder for demos: start with --data DIR")
	}
	name, err := demos.FileName(args[0])
	if err != nil {
		return "", err
	}
	if d.keep != nil {
		return "", d.record(func(header []byte) (demoFile, error) { return demos.NewMemory(name, header, memoryDemo<<20, d.keep) })
	}
	return "", d.recordFile(filepath.Join(d.folder, name))
}

// recordFile begins a demo in a new file.
func (d *demoRecorder) recordFile(path string) error {
	return d.record(func(header []byte) (demoFile, error) { return demos.Create(path, header, int64(d.most)<<20) })
}

// record begins a demo. create makes its file with a header.
func (d *demoRecorder) record(create func(header []byte) (demoFile, error)) error {
	if d.file != nil {
		return fmt.Errorf("%s is being recorded: record stop ends it", d.file.Path())
	}
	header := d.side.Host.DemoHeader()
	header.Began, header.Program = uint64(time.Now().UnixMilli()), d.version
	if d.side.Host.IsServer() {
		header.Mission = d.side.Scripts.Mission()
	}
	f, err := create(header.Bytes())
	if err != nil {
		return err
	}
	if err := d.side.Host.RecordDemo(spectate.Sink{Begun: d.keepHud, Chunk: f.Write, Ended: d.ended}); err != nil {
		f.Drop()
		return err
	}
	d.file, d.began = f, d.side.Host.TickNumber()
	d.print("recording " + f.Path())
	return nil
}

// text describes the demo.
func (d *demoRecorder) text() string {
	length := time.Duration(d.side.Host.TickNumber()-d.began) * sim.TickMs * time.Millisecond
	return fmt.Sprintf("%s: %.1f MiB, %v", d.file.Path(), float64(d.file.Size())/(1<<20), length.Round(time.Second))
}

// ended ends the file of a demo, and says so in one line.
func (d *demoRecorder) ended(why error) {
	text := "recorded " + d.text()
	if why != nil {
		text = fmt.Sprintf("the recording has ended: %v. %s", why, text)
	}
	d.print(text)
	d.file.Close()
	d.writing = append(d.writing, d.file)
	d.file = nil
}

// finish forgets the ended demos that are on the disk, and says which of them failed. With wait it waits for
// all.
func (d *demoRecorder) finish(wait bool) {
	d.writing = slices.DeleteFunc(d.writing, func(f demoFile) bool {
		if !wait && !f.Done() {
			return false
		}
		if err := f.Wait(); err != nil {
			d.print(fmt.Sprintf("error: the demo %s is not complete: %v", f.Path(), err))
		}
		return true
	})
}

// close ends the recording, and waits until everything is on the disk.
func (d *demoRecorder) close() {
	if d != nil {
		d.side.Host.StopDemo()
		d.finish(true)
	}
}

// hudTo returns a function that notes and records the lines of the HUD of a client, and passes them to show,
// which can be nil.
func (d *demoRecorder) hudTo(show func(line int, text string)) func(line int, text string) {
	return func(line int, text string) {
		d.hud[line] = text
		d.keepLine(line)
		if show != nil {
			show(line, text)
		}
	}
}

// keepHud records all lines of the HUD.
func (d *demoRecorder) keepHud() {
	for line, text := range d.hud {
		if text != "" {
			d.keepLine(line)
		}
	}
}

func (d *demoRecorder) keepLine(line int) {
	d.side.Host.KeepInDemo(fmt.Sprint("hud ", line), sim.Tag("Hud"), sim.Number(float64(line)), sim.String(d.hud[line]))
}
