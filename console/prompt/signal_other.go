//go:build !unix

package prompt

import "os"

func ignoreBrokenPipe() {}

// notifyResize reports nothing. The width is read again at every line.
func notifyResize() (changed <-chan os.Signal, stop func()) { return nil, func() {} }
