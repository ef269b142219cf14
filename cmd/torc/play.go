package main

import (
	"errors"
	"path/filepath"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// play runs a server and a client of it in one process, without a socket.
func (sys *system) play(o *config.Play) error {
	o.InMemory = true // if there is no home folder
	cfg, err := sys.serverConfig(&o.Server)
	if err != nil {
		return err
	}
	cfg.Server.Web = playWeb(o)
	client, err := sys.localConfig(o)
	if err != nil {
		return err
	}
	p, err := newSession(sys, &o.Node, &cfg)
	if err != nil {
		return err
	}
	l := p.live(&o.Server, &cfg)
	if cfg.Server.Web != nil {
		cfg.Server.Web.Tell = p.tellPage
	}
	client.Client.Hud, client.Client.Message, client.Client.Forms = p.hud, p.message, p.forms
	p.saysWhoSpeaks(&client.Client)
	var why error
	if cfg.Data == "" {
		why = config.ErrNoHome
	}
	s, err := node.NewServer(cfg)
	if used := (*node.FolderInUse)(nil); errors.As(err, &used) {
		why, cfg.Data, client.Data = err, "", ""
		s, err = node.NewServer(cfg)
	}
	if err != nil {
		return explain(&o.Folder, err)
	}
	if why != nil {
		p.log.Warn("this game is in memory, and nothing of it is kept", "why", why)
	}
	p.runs(s)
	defer p.close()
	if err := p.open(&o.Terminal, cfg.Data); err != nil {
		return err
	}
	c, err := node.NewLocalClient(s, client)
	if err != nil {
		return explain(&o.Folder, err)
	}
	consoles := []namedConsole{{"server", s.Console}, {"client", c.Console}}
	if err := p.addView(c.Host, consoles...); err != nil {
		return err
	}
	if err := p.addSwitch(s.RemoteLine, consoles...); err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return explain(&o.Folder, err)
	}
	l.runs(s)
	return p.run(consoles...)
}

// localConfig translates the options of the client of play. Its data folder is beside the server's
// data if --data names that.
func (sys *system) localConfig(o *config.Play) (cfg node.Config, err error) {
	client := config.Client{Node: o.Node, Args: o.Args, Language: o.Language}
	client.Scripts = nil // the server runs them
	if cfg, err = sys.clientConfig(&client); err != nil {
		return cfg, err
	}
	cfg.Strict = o.Strict
	if o.Data != "" {
		cfg.Data = filepath.Join(o.Data, "client")
	}
	return cfg, nil
}
