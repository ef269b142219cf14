package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script"
)

// A DemoPlayer shows a demo. It is a client whose world comes from a file: it opens no socket and no data folder, and
// reaches no server. A program calls Run, or Step for each frame.
type DemoPlayer struct {
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

// NewDemoPlayer opens a demo of size bytes. Of the Config, it uses what is for all nodes but the data folder, and
// Hud, Message and Effect. The caller must call Close.
func NewDemoPlayer(cfg Config, demo io.ReaderAt, size int64) (*DemoPlayer, error) {
	file, err := recording.Open(demo, size)
	if err != nil {
		return nil, err
	}
	cfg.Data = ""
	o := core.NewOwner(cfg.Common, core.Machine())
	parts := &core.Core{Owner: o, Loop: &core.Loop{Owner: o}}
	r := &DemoPlayer{cfg: cfg, file: file, percent: 100, core: parts, Node: core.NewNode(parts)}
	r.core.Before(r.step)
	if err := r.open(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// open makes the side.
func (r *DemoPlayer) open() error {
	classes, err := core.NewClasses(r.cfg.Register)
	if err != nil {
		return err
	}
	if r.core.Side, err = core.NewSide("replay", r.cfg.Common, engine.Config{
		Name: r.cfg.Name, Classes: classes, Seed: core.DrawSeed(r.cfg.Seed, r.core.From.Entropy), Ended: func(*engine.Connection, string) { r.core.Quit("", nil) },
	}, r.core.From, r.core.Print, r.core.Log); err != nil {
		return err
	}
	r.core.Sides = append(r.core.Sides, r.core.Side)
	for _, name := range []string{"pause", "connect", "disconnect", "reconnect"} {
		r.core.Side.Console.Unregister(name)
	}
	if err := r.core.Side.Register(append(r.commands(), quitCommand(r.core.Owner))); err != nil {
		return err
	}
	setup := script.Setup{Hud: r.setHud, Effect: func(kind string) {
		if r.cfg.Client.Effect != nil && !r.seeking {
			r.cfg.Client.Effect(kind)
		}
	}}
	setup.Message = func(kind, text string) {
		switch {
		case r.seeking: // what has been said before
		case r.cfg.Client.Message != nil:
			r.cfg.Client.Message(kind, text)
		default:
			r.core.Print(text)
		}
	}
	if err := r.core.Side.AddScripts(setup); err != nil {
		return err
	}
	r.conn, err = r.core.Side.Host.Play(r.file, r.clearHud)
	return err
}

// Start sets the variables, loads the mods and runs the scripts. Run and Step call it if nobody has.
func (r *DemoPlayer) Start() error {
	return r.starting.Once(r.core.Owner, func() error {
		r.core.Ready = true
		return r.core.Side.Start(r.cfg.Common, core.Content{})
	})
}

// Run shows the demo until ctx ends, Close or Quit is called, or somebody types quit.
func (r *DemoPlayer) Run(ctx context.Context) error {
	run, finish, err := r.core.Begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	if err := r.Start(); err != nil {
		return err
	}
	return r.core.Loop.Run(run)
}

// Step runs the ticks that are due. When somebody has typed quit, it returns io.EOF.
func (r *DemoPlayer) Step() error {
	if err := r.Start(); err != nil {
		return err
	}
	return r.core.Loop.Step()
}

// PlayAll shows all of the demo as fast as it can, from the time of Seek on, and calls each after each tick.
func (r *DemoPlayer) PlayAll(each func()) error {
	if err := r.Start(); err != nil {
		return err
	}
	if r.target != nil {
		r.step()
	}
	for !r.film().Over() && !r.Ending() {
		r.core.Side.Tick(r.core.Now())
		each()
	}
	return r.film().Why()
}

// Close ends Run and gives everything back.
func (r *DemoPlayer) Close() error {
	r.core.Stop()
	return nil
}

func (r *DemoPlayer) film() *spectate.Film { return r.conn.Watching.Film() }

// Header returns where the demo comes from.
func (r *DemoPlayer) Header() recording.Header { return r.file.Header }

// Length returns the game time of the demo.
func (r *DemoPlayer) Length() time.Duration { return r.since(r.file.Last()) }

// Position returns the game time that is shown.
func (r *DemoPlayer) Position() time.Duration { return r.since(max(r.film().Tick(), r.file.First())) }

func (r *DemoPlayer) since(tick uint64) time.Duration {
	return time.Duration(tick-r.file.First()) * engine.TickTime
}

// Seek shows the game time at, or the nearest one. It does so before the next tick.
func (r *DemoPlayer) Seek(at time.Duration) {
	tick := r.file.First() + uint64(min(max(at, 0), r.Length())/engine.TickTime)
	r.target = &tick
}

// Paused reports whether the demo stands still.
func (r *DemoPlayer) Paused() bool { return r.paused }

// Pause stops the demo, or lets it go on. At its end, it begins again.
func (r *DemoPlayer) Pause(on bool) {
	if r.ended && !on {
		r.Seek(0)
	}
	r.paused = on
	r.setPace()
}

// Speed returns the speed of the demo in percent.
func (r *DemoPlayer) Speed() int { return r.percent }

// SetSpeed changes the speed of the demo, in percent.
func (r *DemoPlayer) SetSpeed(percent int) {
	r.percent = min(max(percent, engine.MinFilmPace), engine.MaxFilmPace)
	r.setPace()
}

func (r *DemoPlayer) setPace() {
	pace := r.percent
	if r.paused {
		pace = 0
	}
	r.conn.Watching.SetPace(pace)
}

// step runs before each tick: it seeks, and stops at the end.
func (r *DemoPlayer) step() {
	if r.target != nil {
		r.paused = r.paused && !r.ended
		r.ended = false
		r.seeking = true
		r.conn.Watching.Seek(*r.target)
		r.seeking, r.target = false, nil
		r.setPace()
	}
	if r.film().Over() && !r.ended {
		r.ended = true
		r.Pause(true)
		text := "the end of the demo"
		if why := r.film().Why(); why != nil {
			text = "the demo ends here: " + why.Error()
		}
		r.core.Print(text)
	}
}

// UntilTick returns the part of the last tick that has yet to pass, 0…1: the argument back of
// sim.Interpolator.
func (r *DemoPlayer) UntilTick() float64 { return r.core.Loop.UntilTick() }

// setHud shows a line of the HUD.
func (r *DemoPlayer) setHud(line int, text string) {
	r.hud[line] = text != ""
	if r.cfg.Client.Hud != nil {
		r.cfg.Client.Hud(line, text)
	}
}

// clearHud clears the HUD, because another moment of the game follows.
func (r *DemoPlayer) clearHud() {
	for line, has := range r.hud {
		if has {
			r.setHud(line, "")
		}
	}
}

// commands are the commands of a replay.
func (r *DemoPlayer) commands() []console.Command {
	return []console.Command{
		{Name: "pause", Params: "[on|off]", Help: "stops the demo, or lets it go on", Run: r.pauseCommand},
		{Name: "speed", Params: "[N]", Help: "changes the speed of the demo: 1 is normal, 0.1 to 16", Run: r.speedCommand},
		{Name: "seek", Params: "[+|-][MINUTES:]SECONDS", Help: "shows another time of the demo, with a sign from the present one on", Run: r.seekCommand},
		{Name: "demo", Help: "describes the demo and what is shown of it", Run: func([]string) (string, error) { return r.Text(), nil }},
	}
}

func (r *DemoPlayer) pauseCommand(args []string) (string, error) {
	switch {
	case len(args) == 0:
		r.Pause(!r.paused)
	case len(args) == 1 && (args[0] == "on" || args[0] == "off"):
		r.Pause(args[0] == "on")
	default:
		return "", errors.New("usage: pause [on|off]")
	}
	return "", nil
}

func (r *DemoPlayer) speedCommand(args []string) (string, error) {
	if len(args) == 0 {
		return strconv.FormatFloat(float64(r.percent)/100, 'g', -1, 64), nil
	}
	percent, err := ParseSpeed(args[0])
	if err != nil || len(args) > 1 {
		return "", errors.Join(err, errors.New("usage: speed [N]"))
	}
	r.SetSpeed(percent)
	return "", nil
}

// ParseSpeed reads the speed of a demo, such as 0.5, in percent.
func ParseSpeed(text string) (percent int, err error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= engine.MinFilmPace/100.0 && n <= engine.MaxFilmPace/100.0) {
		return 0, fmt.Errorf("the speed %q must be 0.1…16", text)
	}
	return int(n*100 + 0.5), nil
}

func (r *DemoPlayer) seekCommand(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: seek [+|-][MINUTES:]SECONDS")
	}
	text := args[0]
	at, err := ParseTime(strings.TrimLeft(text, "+-"))
	switch {
	case err != nil:
		return "", err
	case strings.HasPrefix(text, "+"):
		at = r.Position() + at
	case strings.HasPrefix(text, "-"):
		at = r.Position() - at
	}
	r.Seek(at)
	return "", nil
}

// ParseTime reads a time of a demo, such as 12:30 or 1:02:03 or 750.5: hours, minutes and seconds.
func ParseTime(text string) (time.Duration, error) {
	parts := strings.Split(text, ":")
	total := 0.0
	for i, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || !(n >= 0 && n < 1e6) || i > 0 && n >= 60 || i > 2 {
			return 0, fmt.Errorf("the time %q must be [MINUTES:]SECONDS, for example 12:30", text)
		}
		total = total*60 + n
	}
	return time.Duration(total * float64(time.Second)), nil
}

// FormatTime formats a time of a demo, as 12:30 or 1:02:03.
func FormatTime(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// FormatDate formats the beginning of a demo, in milliseconds since 1970.
func FormatDate(began uint64) string { return time.UnixMilli(int64(began)).Format(time.DateTime) }

// Text describes the demo and what is shown of it.
func (r *DemoPlayer) Text() string {
	h, by := r.file.Header, "the server"
	if h.Player != "" {
		by = h.Player
	}
	text := fmt.Sprintf("%s of %s at %gx, recorded by %s at %s on %s", FormatTime(r.Position()), FormatTime(r.Length()), float64(r.percent)/100,
		by, h.Server, FormatDate(h.Began))
	if h.Mission != "" {
		text += ", mission " + h.Mission
	}
	return console.Clean(text)
}
