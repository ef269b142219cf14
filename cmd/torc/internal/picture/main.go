// Command picture plays a short match without a terminal and writes a client's view of it as an SVG
// image. The README shows the result:
//
//	go run ./cmd/torc/internal/picture -out docs/view.svg
//
// The match is a real one: a server with bots and a client, joined by a simulated network in
// virtual time. The same flags give the same image.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/torc-engine/torc/cmd/internal/tui"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// run parses the flags, plays the match and writes the image.
func run(args []string) error {
	flags := flag.NewFlagSet("picture", flag.ContinueOnError)
	m := standard
	out := flags.String("out", "", "`FILE` of the image; empty writes it to the standard output")
	flags.StringVar(&m.mod, "mod", m.mod, "`NAME` of the mod")
	flags.StringVar(&m.mission, "mission", m.mission, "`NAME` of the mission")
	flags.IntVar(&m.bots, "bots", m.bots, "number of bots on the server")
	flags.Uint64Var(&m.seed, "seed", m.seed, "seed of everything random")
	flags.IntVar(&m.ticks, "ticks", m.ticks, "number of ticks before the picture, 32 ms each")
	flags.IntVar(&m.width, "width", m.width, "columns of the view")
	flags.IntVar(&m.height, "height", m.height, "rows of the view")
	flags.IntVar(&m.zoom, "zoom", m.zoom, "number of steps to zoom out; each halves the scale")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var cells tui.Frame
	if err := m.play(&cells); err != nil {
		return err
	}
	image := svg(&cells)
	if *out == "" {
		_, err := os.Stdout.Write(image)
		return err
	}
	return os.WriteFile(*out, image, 0o644)
}
