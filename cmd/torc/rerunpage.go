package main

import (
	"cmp"
	"fmt"
	"os"
	"sync"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/replay"
)

// show serves the net page over a journal until a signal ends it.
func (r *rerun) show(f *os.File, cfg replay.Config) error {
	if r.o.Check || r.o.Prompt {
		return flags.Usagef("--net cannot be combined with --check or --prompt")
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	listen := r.o.Net
	if listen == flags.On {
		listen = ""
	}
	r.sayBuild()
	if r.seen.Err != nil {
		fmt.Fprintln(r.out, r.seen.Err)
	}
	var printing sync.Mutex // pages have goroutines of their own
	say := func(text string) {
		printing.Lock()
		defer printing.Unlock()
		fmt.Fprintln(r.out, console.Clean(text))
	}
	p, err := replay.NewPage(f, info.Size(), replay.PageConfig{
		Replay: cfg, Journal: r.seen, Listen: listen, From: r.from, Until: r.until, Speed: r.speed, Version: version, Note: say,
	})
	if err != nil {
		return fmt.Errorf("--net %s: %w", cmp.Or(listen, "on"), err)
	}
	defer p.Close()
	ctx, stop := r.sys.untilSignal()
	defer stop()
	say("the net page of this journal: " + p.Link())
	if err := p.Run(ctx); err != nil {
		return fmt.Errorf("%s: %w", r.o.File, err)
	}
	return r.damage(nil)
}
