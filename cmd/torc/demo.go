package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/game/scene"
	"github.com/torc-engine/torc/node/demo"
)

// playDemo shows a demo in the view of the terminal. Without a terminal it prints a summary.
func (sys *system) playDemo(o *config.Replay, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	cfg, err := sys.commonConfig(&config.Node{Folder: o.Folder, Data: o.Data}, "client")
	if err != nil {
		return err
	}
	p, err := newSession(sys, &config.Node{Terminal: o.Terminal, Log: config.Log{LogFormat: "text"}}, &cfg)
	if err != nil {
		return err
	}
	s := summary{players: map[string]bool{}}
	screen := !o.Headless && o.Console != "line" && o.Console != "off" && sys.isTerminal()
	shows := demo.Config{Common: cfg.Common, Hud: p.hud, Message: p.message, VoiceIn: newSpeakers(p).hear}
	if !screen {
		shows.Hud, shows.Output, shows.Message, shows.VoiceIn = nil, func(string) {}, s.message, nil
	}
	r, err := demo.Open(shows, f, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	p.runs(r)
	if err := begin(o, r); err != nil {
		return err
	}
	if !screen {
		defer r.Close()
		return s.print(r, sys.out)
	}
	defer p.close()
	if err := p.open(&o.Terminal, cfg.Data); err != nil {
		return err
	}
	shown := namedConsole{"replay", r.Console}
	if err := p.addView(r.Host, shown); err != nil {
		return err
	}
	p.view.Reel = r
	if err := r.Start(); err != nil {
		return explain(&o.Folder, err)
	}
	if term, ok := p.term.(*prompt.Terminal); ok {
		p.openView(term)
	}
	return p.run(shown)
}

// begin sets the speed and the time of the flags.
func begin(o *config.Replay, r *demo.Viewer) error {
	if o.Speed != "" {
		percent, err := demo.ParseSpeed(o.Speed)
		if err != nil {
			return flags.Usagef("--speed: %v", err)
		}
		r.SetSpeed(percent)
	}
	if o.Seek != "" {
		at, err := demo.ParseTime(o.Seek)
		if err != nil {
			return flags.Usagef("--seek: %v", err)
		}
		r.Seek(at)
	}
	return nil
}

// A summary is what a person wants to know of a demo.
type summary struct {
	replay  *demo.Viewer
	players map[string]bool
	most    int // objects at once
	lines   []string
}

// message notes a line of the chat, with its time.
func (s *summary) message(_, text string) {
	if s.replay != nil {
		at := demo.FormatTime(s.replay.Position()) + "  "
		s.lines = append(s.lines, at+strings.ReplaceAll(console.ReadableText(text), "\n", "\n"+strings.Repeat(" ", len(at)+2)))
	}
}

// print plays all of a demo, and prints the summary. A demo that ends before its file does is an
// error.
func (s *summary) print(r *demo.Viewer, stdout io.Writer) error {
	s.replay = r
	reader := scene.NewReader(r.Host().World())
	var things []scene.Thing
	ticks := 0
	why := r.PlayAll(func() {
		s.most = max(s.most, objectsOf(r))
		if ticks++; ticks%engineSecond != 1 {
			return
		}
		things = reader.Read(things[:0], nil, 0, 0)
		for i := range things {
			if t := &things[i]; t.Kind == scene.Person && t.Name != "" {
				s.players[console.Clean(t.Name)] = true
			}
		}
	})
	h := r.Header()
	by := h.Player
	if by == "" {
		by = "the server, with everybody"
	}
	mods := make([]string, len(h.Mods))
	for i, m := range h.Mods {
		mods[i] = m.Name + " " + m.Version
	}
	for _, row := range [][2]string{
		{"server", h.Server}, {"recorded by", by}, {"began", demo.FormatDate(h.Began)}, {"torc", h.Program}, {"mission", h.Mission},
		{"mods", strings.Join(mods, ", ")}, {"length", demo.FormatTime(r.Position())}, {"objects", fmt.Sprintf("%d at most", s.most)},
		{"players", strings.Join(slices.Sorted(maps.Keys(s.players)), ", ")},
	} {
		if row[1] != "" {
			fmt.Fprintf(stdout, "%-12s %s\n", row[0], console.Clean(row[1]))
		}
	}
	for _, line := range s.lines {
		fmt.Fprintln(stdout, line)
	}
	if why != nil {
		return fmt.Errorf("the demo ends at %s: %w", demo.FormatTime(r.Position()), why)
	}
	return nil
}

// engineSecond is about a second, in ticks.
const engineSecond = 1000 / engine.TickMs

// objectsOf returns the number of objects that a demo shows.
func objectsOf(r *demo.Viewer) int {
	if c := r.Host().Server(); c != nil {
		return c.Len()
	}
	return 0
}
