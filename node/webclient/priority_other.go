//go:build !linux

package webclient

// atLowPriority runs f. Only Linux has a priority per thread that lasts.
func atLowPriority(f func()) { f() }
