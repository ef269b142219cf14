// Package picture plays a short match without a terminal and writes a client's view of it as an SVG
// image. The README shows the result:
//
//	go run ./cmd/torclab picture --out docs/view.svg
//
// The match is a real one: a server with bots and a client, joined by a simulated network in
// virtual time. The same flags give the same image.
package picture

import (
	"io"
	"os"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/internal/tui"
)

// Options are the options of torclab picture.
type Options struct {
	match
	out string // "" is the standard output
}

// Declare declares the flags.
func (o *Options) Declare(s *flags.Set) {
	o.match = standard
	s.StringVar(&o.out, "out", "", "`FILE`: write the image to this file; without it, to the standard output")
	s.StringVar(&o.mod, "mod", o.mod, "`NAME`: name of the mod (ctf)")
	s.StringVar(&o.mission, "mission", o.mission, "`NAME`: name of the mission (ridge)")
	s.Var(flags.Count{To: &o.bots, Lo: 0, Hi: 1000}, "bots", "`N`: number of bots on the server (10)")
	s.Uint64Var(&o.seed, "seed", o.seed, "`N`: seed of everything random (5)")
	s.Var(flags.Count{To: &o.ticks, Lo: 1, Hi: 1_000_000}, "ticks", "`N`: number of ticks before the picture, 32 ms each (1235)")
	s.Var(flags.Count{To: &o.width, Lo: 20, Hi: 1000}, "width", "`N`: columns of the view (96)")
	s.Var(flags.Count{To: &o.height, Lo: 8, Hi: 1000}, "height", "`N`: rows of the view (28)")
	s.Var(flags.Count{To: &o.zoom, Lo: 0, Hi: 8}, "zoom", "`N`: number of steps to zoom out; each halves the scale (1)")
}

// Run plays the match and writes the image.
func (o *Options) Run(stdout io.Writer) error {
	var cells tui.Frame
	if err := o.play(&cells); err != nil {
		return err
	}
	image := svg(&cells)
	if o.out == "" {
		_, err := stdout.Write(image)
		return err
	}
	return os.WriteFile(o.out, image, 0o644)
}
