package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// runner is a node as a session sees it: a server, a client or a swarm.
type runner interface {
	Run(ctx context.Context) error
	Close() error
	Do(f func()) error
	Quit(reason string)
	Ready() bool
	Ending() bool
	Now() netcore.Time
	Print(text string)
}

// session is a node with a terminal and signals. Its hooks run on the goroutine of the node.
type session struct {
	terminal
	sys     *system
	node    runner
	log     *slog.Logger
	signals chan os.Signal
	late    chan struct{} // gets a signal that came when Run had returned

	level     slog.LevelVar
	logFile   *logFile            // nil: there is none
	onScreen  bool                // the prompt is on a terminal
	reload    func() error        // of a server, for the reload signal; nil: the signal ends the process
	restart   func(reason string) // of a server, for the restart signal; nil: there is none
	signalled bool                // a signal came, and whoever sent it starts the server again
	drain     func() bool         // of a server with --drain: begins to drain for a signal, once; nil: there is none
	// supervised is set if SIGTERM can mean that a supervisor starts the server again.
	supervised bool
}

// newSession makes a session, and puts its log, its output and its hooks into the config of a node.
func newSession(sys *system, o *config.Node, cfg *node.Config) (*session, error) {
	p := &session{sys: sys, signals: make(chan os.Signal, 2), late: make(chan struct{}, 1)}
	p.level.Set(o.LogLevel)
	w := p.logWriter()
	if o.LogFile != "" {
		var err error
		if p.logFile, err = openLogFile(&o.Log, w); err != nil {
			return nil, err
		}
		w = p.logFile
	}
	p.log = node.NewLogger(w, &p.level, o.LogFormat)
	for _, warning := range o.Warnings {
		p.log.Warn(warning)
	}
	cfg.Log, cfg.Output = p.log, p.print
	cfg.Hooks = node.Hooks{BeforeTick: p.beforeTick, AfterRound: p.frame, Due: p.viewDue}
	return p, nil
}

// runs sets the node of the session.
func (p *session) runs(n runner) { p.node, p.terminal.node = n, n }

// open opens the terminal and takes the signals. The history is in the data folder.
func (p *session) open(o *config.Terminal, folder string) error {
	history := ""
	if folder != "" {
		history = filepath.Join(folder, "history")
	}
	source, err := prompt.Open(prompt.Mode(o.Console), p.sys.prompt(history))
	if err != nil {
		return flags.Usagef("--console %s: %v", o.Console, err)
	}
	p.attach(source)
	p.onScreen = p.sys.isTerminal()
	p.sys.notify(p.signals, os.Interrupt, syscall.SIGTERM)
	if p.restart != nil && restartSignal != nil {
		p.sys.notify(p.signals, restartSignal)
	}
	if p.reload != nil && reloadSignal != nil {
		p.sys.notify(p.signals, reloadSignal)
	}
	return nil
}

// run runs the node. Lines go to the first console.
func (p *session) run(consoles ...namedConsole) error {
	p.begin(consoles)
	ended := make(chan struct{})
	defer close(ended)
	go p.watch(ended)
	go p.answer(ended)
	return p.node.Run(context.Background())
}

// watch passes the signals to the goroutine of the node.
func (p *session) watch(ended <-chan struct{}) {
	for {
		select {
		case s := <-p.signals:
			if p.node.Do(func() { p.signal(s) }) != nil && s != reloadSignal {
				p.late <- struct{}{}
				return
			}
		case <-ended:
			return
		}
	}
}

// signal handles a signal. The reload signal ends a server whose terminal has closed. A server that
// is ending ignores it.
func (p *session) signal(s os.Signal) {
	if s == reloadSignal && p.node.Ending() {
		return
	}
	if s != reloadSignal || p.onScreen && !p.sys.isTerminal() {
		p.end(s)
		return
	}
	if err := p.reload(); err != nil {
		p.log.Error(err.Error())
	}
}

// end ends the node in order. If the node is ending already, it ends the process at once.
func (p *session) end(s os.Signal) {
	if p.node.Ending() {
		p.abort()
	}
	if s != os.Interrupt && p.drain != nil && p.drain() {
		p.log.Info("draining: a second signal ends the server at once", "signal", s.String())
		p.signalled = true
		return
	}
	p.log.Info("ending", "signal", s.String())
	if s == restartSignal {
		p.signalled = true
		p.restart("")
		return
	}
	if s == syscall.SIGTERM && p.supervised && p.restart != nil {
		p.signalled = true
		p.restart("only if its supervisor starts it again")
		return
	}
	p.node.Quit("")
}

// abort ends the process at once.
func (p *session) abort() {
	p.closeTerminal()
	p.sys.exit(failed)
}

// close closes the node and gives the terminal back, however the node ended. A signal gives up
// waiting for the disk, except the reload signal.
func (p *session) close() {
	closed := make(chan error, 1)
	go func() { closed <- p.node.Close() }()
	for {
		select {
		case err := <-closed:
			if err != nil {
				p.log.Error("cannot close the store", "why", err)
			}
			p.closeTerminal()
			return
		case s := <-p.signals:
			if s != reloadSignal {
				p.giveUp()
			}
		case <-p.late:
			p.giveUp()
		}
	}
}

func (p *session) giveUp() {
	p.log.Error("the disk does not respond: the last writes of mods and the end of audit.log may be lost")
	p.abort()
}

// logWriter is stderr. While a terminal is edited on the same screen, it is the terminal, which
// writes above the line that is typed.
func (p *session) logWriter() io.Writer {
	w := logWriter{display: &p.display, stderr: p.sys.err}
	if f, ok := w.stderr.(*os.File); ok {
		info, err := f.Stat()
		w.shared = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return w
}
