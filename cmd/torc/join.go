package main

import (
	"os"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// join runs a client of a server elsewhere.
func (sys *system) join(o *config.Join) error {
	cfg, err := sys.clientConfig(&o.Client)
	if err != nil {
		return err
	}
	cfg.Client.Reconnect, cfg.Client.Record = !o.NoReconnect, o.Record
	cfg.Client.Watch = o.Watch
	if _, err := os.Lstat(o.Record); o.Record != "" && err == nil {
		return flags.Usagef("--record %s: the file exists already", o.Record)
	}
	file, err := newCapture(o)
	if err != nil {
		return err
	}
	if file != nil {
		defer file.Close()
		cfg.Client.Capture = file
	}
	p, err := newSession(sys, &o.Node, &cfg)
	if err != nil {
		return err
	}
	cfg.Commands = append(cfg.Commands, p.viewCommand())
	cfg.Client.Hud, cfg.Client.Message, cfg.Client.Forms = p.hud, p.message, p.forms
	p.saysWhoSpeaks(&cfg.Client)
	c, err := node.NewClient(cfg)
	if err != nil {
		return explain(&o.Folder, err)
	}
	p.runs(c)
	defer p.close()
	if err := p.open(&o.Terminal, cfg.Data); err != nil {
		return err
	}
	client := namedConsole{"client", c.Console}
	if err := p.addView(c.Host); err != nil {
		return err
	}
	p.view.Line = func() (int, string) {
		line := c.Line()
		return line.Bars, line.Text
	}
	if err := c.Start(); err != nil {
		return explain(&o.Folder, err)
	}
	return p.run(client)
}
