// Package demo shows demos: the world of a file instead of a server's.
//
//	v, err := demo.Open(demo.Config{}, file, size)
//	…
//	defer v.Close()
//	err = v.Run(ctx)
//
// # Where to read
//
//	viewer.go    a client whose world comes from a file
//	commands.go  pause, speed, seek and demo
//	format.go    speeds, times and dates as people type and read them
package demo
