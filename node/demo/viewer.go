package demo

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script"
)

// A Viewer shows a demo. It is a client whose world comes from a file: it opens no socket and no
// data folder, and reaches no server. A program calls Run, or Step for each frame.
type Viewer struct {
	core.Node
	core     *core.Core
	cfg      Config
	file     *recording.File
	conn     *engine.Connection
	percent  int     // speed while it plays
	paused   bool    // by the viewer, or at the end
	ended    bool    // it has come to its end
	target   *uint64 // tick to seek; nil: none
	seeking  bool
	hud      [script.HudLines + 1]bool // lines with text
	starting core.Starting
}

// Config describes how a demo is shown. Of Common, the data folder is not used. The zero value of a
// field is its default.
type Config struct {
	core.Common
	// Hud gets the lines of the HUD, 1 to script.HudLines; nil discards.
	Hud func(line int, text string)
	// Elements gets the parts of the HUD whenever they change, as of node.ClientConfig; nil
	// discards.
	Elements func([]*form.Element)
	// Message gets the messages of the server with their types, such as MsgChat; nil passes them to
	// Output.
	Message func(kind, text string)
	// Effect gets short effects, such as hit; nil discards.
	Effect func(kind string)
	// VoiceIn gets the frames of voice, at normal speed only; nil discards.
	VoiceIn func(engine.VoiceFrame)
}

// Open opens a demo of size bytes. The caller must call Close.
func Open(cfg Config, demo io.ReaderAt, size int64) (*Viewer, error) {
	file, err := recording.Open(demo, size)
	if err != nil {
		return nil, err
	}
	cfg.Data = ""
	o := core.NewOwner(cfg.Common, core.Machine())
	parts := &core.Core{Owner: o, Loop: &core.Loop{Owner: o}}
	v := &Viewer{cfg: cfg, file: file, percent: 100, core: parts, Node: core.NewNode(parts)}
	v.core.Before(v.step)
	if err := v.open(); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// open makes the side.
func (v *Viewer) open() error {
	classes, err := core.NewClasses(v.cfg.Register)
	if err != nil {
		return err
	}
	if v.core.Side, err = core.NewSide("replay", v.cfg.Common, engine.Config{
		Name: v.cfg.Name, Classes: classes, Seed: core.DrawSeed(v.cfg.Seed, v.core.From.Entropy), Ended: func(*engine.Connection, string) { v.core.Quit("", nil) },
		Heard: v.cfg.VoiceIn, Elements: v.showElements,
	}, v.core.From, v.core.Print, v.core.Log); err != nil {
		return err
	}
	v.core.Sides = append(v.core.Sides, v.core.Side)
	for _, name := range []string{"pause", "connect", "disconnect", "reconnect"} {
		v.core.Side.Console.Unregister(name)
	}
	if err := v.core.Side.Register(append(v.commands(), core.QuitCommand(v.core.Owner))); err != nil {
		return err
	}
	setup := script.Setup{Hud: v.setHud, Effect: func(kind string) {
		if v.cfg.Effect != nil && !v.seeking {
			v.cfg.Effect(kind)
		}
	}}
	setup.Message = func(kind, text string) {
		switch {
		case v.seeking: // what has been said before
		case v.cfg.Message != nil:
			v.cfg.Message(kind, text)
		default:
			v.core.Print(text)
		}
	}
	if err := v.core.Side.AddScripts(setup); err != nil {
		return err
	}
	v.conn, err = v.core.Side.Host.Demos.Play(v.file, v.clearHud)
	return err
}

// Start sets the variables, loads the mods and runs the scripts. Run and Step call it if nobody
// has.
func (v *Viewer) Start() error {
	return v.starting.Once(v.core.Owner, func() error {
		v.core.Ready = true
		return v.core.Side.Start(v.cfg.Common, core.Content{})
	})
}

// Run shows the demo until ctx ends, Close or Quit is called, or somebody types quit.
func (v *Viewer) Run(ctx context.Context) error {
	run, finish, err := v.core.Begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	if err := v.Start(); err != nil {
		return err
	}
	return v.core.Loop.Run(run)
}

// Step runs the ticks that are due. When somebody has typed quit, it returns io.EOF.
func (v *Viewer) Step() error {
	if err := v.Start(); err != nil {
		return err
	}
	return v.core.Loop.Step()
}

// PlayAll shows all of the demo as fast as it can, from the time of Seek on, and calls each after
// each tick.
func (v *Viewer) PlayAll(each func()) error {
	if err := v.Start(); err != nil {
		return err
	}
	if v.target != nil {
		v.step()
	}
	for !v.film().Over() && !v.Ending() {
		v.core.Side.Tick(v.core.Now())
		each()
	}
	return v.film().Why()
}

// Close ends Run and gives everything back.
func (v *Viewer) Close() error {
	v.core.Stop()
	return nil
}

func (v *Viewer) film() *spectate.Film { return v.conn.Watching.Film() }

// Header returns where the demo comes from.
func (v *Viewer) Header() recording.Header { return v.file.Header }

// Length returns the game time of the demo.
func (v *Viewer) Length() time.Duration { return v.since(v.file.Last()) }

// Position returns the game time that is shown.
func (v *Viewer) Position() time.Duration { return v.since(max(v.film().Tick(), v.file.First())) }

func (v *Viewer) since(tick uint64) time.Duration {
	return time.Duration(tick-v.file.First()) * engine.TickTime
}

// Seek shows the game time at, or the nearest one. It does so before the next tick.
func (v *Viewer) Seek(at time.Duration) {
	tick := v.file.First() + uint64(min(max(at, 0), v.Length())/engine.TickTime)
	v.target = &tick
}

// Paused reports whether the demo stands still.
func (v *Viewer) Paused() bool { return v.paused }

// Pause stops the demo, or lets it go on. At its end, it begins again.
func (v *Viewer) Pause(on bool) {
	if v.ended && !on {
		v.Seek(0)
	}
	v.paused = on
	v.setPace()
}

// Speed returns the speed of the demo in percent.
func (v *Viewer) Speed() int { return v.percent }

// SetSpeed changes the speed of the demo, in percent.
func (v *Viewer) SetSpeed(percent int) {
	v.percent = min(max(percent, engine.MinFilmPace), engine.MaxFilmPace)
	v.setPace()
}

func (v *Viewer) setPace() {
	pace := v.percent
	if v.paused {
		pace = 0
	}
	v.conn.Watching.SetPace(pace)
}

// step runs before each tick: it seeks, and stops at the end.
func (v *Viewer) step() {
	if v.target != nil {
		v.paused = v.paused && !v.ended
		v.ended = false
		v.seeking = true
		v.conn.Watching.Seek(*v.target)
		v.seeking, v.target = false, nil
		v.setPace()
	}
	if v.film().Over() && !v.ended {
		v.ended = true
		v.Pause(true)
		text := "the end of the demo"
		if why := v.film().Why(); why != nil {
			text = "the demo ends here: " + why.Error()
		}
		v.core.Print(text)
	}
}

// UntilTick returns the part of the last tick that has yet to pass, 0…1: the argument back of
// sim.Interpolator.
func (v *Viewer) UntilTick() float64 { return v.core.Loop.UntilTick() }

// setHud shows a line of the HUD.
func (v *Viewer) setHud(line int, text string) {
	v.hud[line] = text != ""
	if v.cfg.Hud != nil {
		v.cfg.Hud(line, text)
	}
}

// showElements shows the parts of the HUD.
func (v *Viewer) showElements(_ *engine.Connection, shown []*form.Element) {
	if v.cfg.Elements != nil {
		v.cfg.Elements(shown)
	}
}

// clearHud clears the HUD, because another moment of the game follows.
func (v *Viewer) clearHud() {
	for line, has := range v.hud {
		if has {
			v.setHud(line, "")
		}
	}
}
