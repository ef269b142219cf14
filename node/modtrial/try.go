package modtrial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script/vm"
)

// Timeout is how long the tests of a mod may take before a reload, rests included.
const Timeout = 2 * time.Minute

// For returns the function for ServerConfig.Trial of a server with these settings. It loads a mod
// beside the server that plays, with the program's own classes and commands, and runs the tests of
// the mod unless untested is true. It returns the files that it has compiled, and the first error.
func For(c node.Common) func(ctx context.Context, folders []fs.FS, mod string, untested bool) (*vm.Protos, error) {
	return func(ctx context.Context, folders []fs.FS, mod string, untested bool) (*vm.Protos, error) {
		compiled := core.NewProtos()
		return compiled, try(Options{
			Folders: folders, Mod: mod, Untested: untested, Register: c.Register, Commands: c.Commands, Events: c.Events, Timeout: Timeout, Context: ctx, Throttle: true, Protos: compiled,
		})
	}
}

// try runs the tests, and returns the first error.
func try(o Options) error {
	results, err := Run(o)
	var failed *loadFailure
	if errors.As(err, &failed) {
		return failed.reason
	}
	if err != nil {
		return err
	}
	for _, r := range results {
		switch {
		case r.Err != nil && r.Name == "":
			return fmt.Errorf("its tests do not load: %w", r.Err)
		case r.Err != nil:
			return fmt.Errorf("its test %q fails: %w", r.Name, r.Err)
		}
	}
	return nil
}
