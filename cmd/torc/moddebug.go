package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/cmd/torc/internal/dapbridge"
	"github.com/torc-engine/torc/node/remote"
)

// modDebug debugs a mod of a running server for an editor, which speaks the Debug Adapter Protocol
// on in and out.
func modDebug(o *config.Mod, in io.Reader, out io.Writer) error {
	dir, err := dataFolder(o.Data)
	if err != nil {
		return err
	}
	link, err := remote.Dial(filepath.Join(dir, remote.Socket))
	if err != nil {
		err = fmt.Errorf("cannot reach a server at %s (%w): name its data folder with --data DIR", filepath.Join(dir, remote.Socket), errors.Unwrap(err))
		return failure{unconnected, dapbridge.Refuse(in, out, err)}
	}
	beat := time.NewTicker(remote.BeatTime)
	defer beat.Stop()
	if err := dapbridge.Run(link, o.Target, in, out, beat.C); err != nil {
		return failure{unconnected, err}
	}
	return nil
}
