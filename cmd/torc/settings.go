package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// settings runs torc config: it checks the settings of a server, or prints each with its source.
func settings(o *config.Options, stdout, stderr io.Writer) error {
	log := node.NewLogger(stderr, slog.LevelWarn, o.LogFormat)
	for _, warning := range o.Warnings {
		log.Warn(warning)
	}
	if o.Verb == "show" {
		return o.Show(stdout)
	}
	if err := trySettings(o, log); err != nil {
		return err
	}
	_, err := fmt.Fprintln(stdout, "the settings are valid")
	return err
}

// trySettings loads the mods and sets the variables on a server in memory: without a data folder, a
// socket, metrics and scripts.
func trySettings(o *config.Options, log *slog.Logger) error {
	cfg, err := serverConfig(o)
	if err != nil {
		return err
	}
	cfg.Server.Web = nil
	cfg.Data, cfg.Server.Metrics, cfg.Scripts, cfg.Strict, cfg.Log = "", "", nil, true, log
	s, err := node.NewServer(cfg)
	if err != nil {
		return explain(o, err)
	}
	defer s.Close()
	return explain(o, s.Start())
}
