package modtrial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Timeout is how long the tests of a mod may take before a reload, rests included.
const Timeout = 2 * time.Minute

// Try loads a mod beside a server that plays, and runs the tests of the mod. It returns the first
// error. It fits node.Config.Trial.
func Try(ctx context.Context, folders []fs.FS, mod string) error {
	results, err := Run(Options{Folders: folders, Mod: mod, Timeout: Timeout, Context: ctx, Throttle: true})
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
