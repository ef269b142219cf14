package main

import (
	"fmt"
	"log/slog"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// settings runs torc config: it checks the settings of a server, or prints each with its source.
func (sys *system) settings(c *config.Config) error {
	o := c.Server()
	log := node.NewLogger(sys.err, slog.LevelWarn, o.LogFormat)
	for _, warning := range o.Warnings {
		log.Warn(warning)
	}
	if c.Verb == "show" {
		return o.Show(sys.out)
	}
	if err := sys.trySettings(o, log); err != nil {
		return err
	}
	_, err := fmt.Fprintln(sys.out, "the settings are valid")
	return err
}

// trySettings loads the mods and sets the variables on a server in memory: without a data folder, a
// socket, metrics and scripts.
func (sys *system) trySettings(o *config.Server, log *slog.Logger) error {
	cfg, err := sys.serverConfig(o)
	if err != nil {
		return err
	}
	cfg.Data, cfg.Scripts, cfg.Strict, cfg.Log = "", nil, true, log
	s, err := node.NewServer(cfg)
	if err != nil {
		return explain(&o.Folder, err)
	}
	defer s.Close()
	return explain(&o.Folder, s.Start())
}
