//go:build !js

package replay

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/internal/netpage"
	"github.com/torc-engine/torc/node/internal/web"
)

// A Page shows a journal in the net page: a server that runs again, with a time to choose. It opens
// a TCP port for the page, and nothing else: the page only reads, and no datagram leaves or reaches
// the server.
type Page struct {
	line   *netpage.Playback
	web    *web.Listener
	access netpage.Access
}

// PageConfig is how a Page begins, and where it is seen.
type PageConfig struct {
	Replay  Config
	Journal Summary          // what Scan says about the journal
	Listen  string           // HOST:PORT of the page, over TCP; "" is a free port of 127.0.0.1
	From    uint64           // the tick to begin at
	Until   uint64           // the last tick to show; 0 is that of the journal
	Speed   float64          // times real time, from the first page on; 0 pauses
	Version string           // of the program
	Note    func(did string) // a page was opened, or sent a wrong key; any goroutine calls it. nil: nobody wants to know
}

// NewPage opens the port of the page. Run runs the server. The caller must call Close.
func NewPage(text io.ReaderAt, size int64, cfg PageConfig) (*Page, error) {
	clock := core.NewClock().Now
	cfg.Replay.Clock = clock
	open := func() (netpage.Rerun, error) {
		r, err := New(io.NewSectionReader(text, 0, size), cfg.Replay)
		if err != nil {
			return nil, err
		}
		return newRerun(r, cfg.Version), nil
	}
	last := cfg.Journal.Ticks
	if cfg.Until > 0 {
		last = min(last, cfg.Until)
	}
	p := &Page{line: netpage.NewPlayback(netpage.PlaybackConfig{
		Open: open, Last: last, Marks: pageMarks(cfg.Journal.Marks), Clock: clock, From: cfg.From, Speed: min(cfg.Speed, netpage.MaxSpeed),
	})}
	p.access.SetKey(netpage.NewKey())
	var err error
	if p.web, err = web.Listen(web.Options{Address: cmp.Or(cfg.Listen, "127.0.0.1:0"), NetOnly: true}); err != nil {
		return nil, err
	}
	if err := p.serve(clock, cfg.Note); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// serve publishes the page.
func (p *Page) serve(now func() time.Duration, note func(string)) error {
	return p.web.ServeNet(netpage.Files(), &netpage.Handler{
		Source: p.line, Access: &p.access, Allows: func() int { return netpage.WithKeyOrLocal }, Local: p.web.Local, From: p.web.From, Now: now,
		Note: func(from netip.Addr, did string) {
			if note != nil {
				note(from.String() + " " + did)
			}
		},
	})
}

// Run runs the server until ctx ends. Pages wait for it.
func (p *Page) Run(ctx context.Context) error { return p.line.Run(ctx) }

// Close closes the port and the pages. Call it when Run has returned.
func (p *Page) Close() error { return p.web.Close() }

// Link is the link of the page, with its key.
func (p *Page) Link() string { return p.web.Site() + "/net#" + p.access.Key() }

// pageMarks returns marks as the page shows them.
func pageMarks(all []Mark) (list []netpage.Mark) {
	for _, m := range all {
		list = append(list, netpage.Mark{Tick: m.Tick, Text: console.Clean(m.String())})
	}
	return list
}

// rerun is a Replay as the net page sees it.
type rerun struct {
	*Replay
	taker netpage.Taker
}

func newRerun(r *Replay, version string) *rerun {
	s := r.parts.Core
	return &rerun{r, netpage.Taker{
		Host: s.Side.Host, Scripts: s.Side.Scripts, Pulse: &s.Loop.Pulse, Phases: &s.Loop.Phases, Version: version, Now: r.Now, Clock: r.clock,
	}}
}

// Taker implements netpage.Rerun.
func (r *rerun) Taker() *netpage.Taker { return &r.taker }

// Difference implements netpage.Rerun. Another build can be the cause, so the text names it.
func (r *rerun) Difference() string {
	d, other := r.Replay.Difference(), r.OtherBuild()
	if d == "" || other == "" {
		return d
	}
	return d + "; " + other
}

// Next implements netpage.Rerun.
func (r *rerun) Next() error {
	for before := r.Tick(); r.Tick() == before; {
		if err := r.Step(); err != nil {
			return err
		}
	}
	if call, _, _ := r.player.Next(); call == journal.Send {
		return r.Step()
	}
	return nil
}
