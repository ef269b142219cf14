package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/listserver"
)

// rendezvous runs a rendezvous until a signal ends it. With a list or a data folder it has a
// console.
func (sys *system) rendezvous(o *config.Rendezvous) error {
	cfg, err := sys.rendezvousConfig(o)
	if err != nil {
		return err
	}
	term := prompt.Source(nil)
	cfg.Print = func(text string) { term.Print(text) }
	s, err := listserver.New(cfg)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := fmt.Fprintf(sys.out, "listening on %s\n", s.Addr()); err != nil {
		return err
	}
	ctx, stop := sys.untilSignal()
	defer stop()
	if cfg.Data == "" {
		s.Run(ctx)
		return nil
	}
	term, err = prompt.Open(prompt.Mode(o.Console), sys.prompt(filepath.Join(cfg.Data, "history")))
	if err != nil {
		return flags.Usagef("--console %s: %v", o.Console, err)
	}
	defer term.Close()
	if url := s.URL(); url != "" {
		term.Print("list at " + url)
	}
	ended := make(chan struct{})
	go sys.operate(s, term, ended)
	s.Run(ctx)
	close(ended)
	return nil
}

// operate runs the lines of a terminal, and reads the files of the lists again at the reload
// signal.
func (sys *system) operate(s *listserver.Server, term prompt.Source, ended <-chan struct{}) {
	reload, lines := make(chan os.Signal, 1), term.Lines()
	if reloadSignal != nil {
		sys.notify(reload, reloadSignal)
	}
	for {
		select {
		case <-ended:
			return
		case <-reload:
			s.Do(func() { printError(term, s.Reread()) })
		case ask := <-term.Asks():
			s.Do(func() { ask.Run(s.Console()) })
		case line, more := <-lines:
			switch {
			case !more:
				lines = nil
			case line.Event == prompt.InputInterrupt:
				s.Do(func() { printError(term, runLine(s, "quit")) })
			case line.Event == prompt.InputLine:
				s.Do(func() {
					line.Remember(s.Console())
					printError(term, runLine(s, line.Text))
				})
			}
		}
	}
}

// runLine runs a line of the console, and prints what it returns.
func runLine(s *listserver.Server, line string) error {
	out, err := s.Console().Exec(line)
	if err == nil && out != "" {
		s.Console().Print(out)
	}
	return err
}

func printError(term prompt.Source, err error) {
	if err != nil {
		term.Print("error: " + err.Error())
	}
}

// rendezvousConfig translates the options. Without --list and --data there is no folder.
func (sys *system) rendezvousConfig(o *config.Rendezvous) (cfg listserver.Config, err error) {
	cfg = listserver.Config{Listen: o.Listen, List: o.List, Data: o.Data, Via: o.Advertise}
	if cfg.Data == "" && o.List {
		if cfg.Data, err = config.DataFolder("rendezvous", sys.lookup); err != nil {
			return cfg, err
		}
	}
	cfg.Log = node.NewLogger(sys.err, slog.LevelInfo, "text")
	if o.Web == "" {
		return cfg, nil
	}
	cfg.Pages = &listserver.Pages{Listen: o.Web, Cert: o.TLSCert, Key: o.TLSKey, Domain: o.TLSDomain, Proxies: o.Proxies}
	switch {
	case o.Web == flags.On && o.TLSDomain != "":
		cfg.Pages.Listen = config.SecureWeb
	case o.Web == flags.On:
		cfg.Pages.Listen = ""
	}
	return cfg, nil
}
