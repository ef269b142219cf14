package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/cmd/torc/internal/dapbridge"
	"github.com/torc-engine/torc/node/remote"
)

// modDebug debugs a mod of a running server for an editor, which speaks the Debug Adapter Protocol
// on the standard input and output.
func (sys *system) modDebug(o *config.Mod) error {
	dir, err := sys.dataFolder(o.Data)
	if err != nil {
		return err
	}
	link, err := remote.Dial(filepath.Join(dir, remote.Socket))
	if err != nil {
		err = fmt.Errorf("cannot reach a server at %s (%w): name its data folder with --data DIR", filepath.Join(dir, remote.Socket), errors.Unwrap(err))
		return failure{unconnected, dapbridge.Refuse(sys.in, sys.out, err)}
	}
	beat := time.NewTicker(remote.BeatTime)
	defer beat.Stop()
	if err := dapbridge.Run(link, o.Target, sys.in, sys.out, beat.C); err != nil {
		return failure{unconnected, err}
	}
	return nil
}
