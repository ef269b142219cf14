package main

import (
	"os"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// join runs a client of a server elsewhere.
func join(o *config.Options) error {
	cfg, err := clientConfig(o)
	if err != nil {
		return err
	}
	cfg.Client.Reconnect, cfg.Client.Record = !o.NoReconnect, o.Record
	if _, err := os.Lstat(o.Record); o.Record != "" && err == nil {
		return &config.UsageError{Text: "--record " + o.Record + ": the file exists already"}
	}
	file, err := newCapture(o)
	if err != nil {
		return err
	}
	if file != nil {
		defer file.Close()
		cfg.Client.Capture = file
	}
	p, err := newSession(o, &cfg)
	if err != nil {
		return err
	}
	cfg.Client.Hud, cfg.Client.Message = p.hud, p.message
	c, err := node.NewClient(cfg)
	if err != nil {
		return explain(o, err)
	}
	p.runs(c)
	defer p.close()
	if err := p.open(o, cfg.Data); err != nil {
		return err
	}
	client := namedConsole{"client", c.Console()}
	if err := p.addView(c.Host(), client); err != nil {
		return err
	}
	p.view.Line = func() (int, string) {
		line := c.Line()
		return line.Bars, line.Text
	}
	if err := c.Start(); err != nil {
		return explain(o, err)
	}
	return p.run(client)
}
