//go:build (!unix && !windows) || solaris || aix

package data

import "os"

// lock does nothing: this platform has no file locks.
func lock(*os.File) error { return nil }

// unlock does nothing.
func unlock(*os.File) error { return nil }
