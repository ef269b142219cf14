// Command compress writes FILE.br and FILE.gz: compress LEVEL FILE, with a level of brotli from 0
// to
// 11. A server that builds the client for browsers runs it, so that the memory of brotli is back
// when the client is ready.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/torc-engine/torc/internal/brotli"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "compress:", err)
		os.Exit(1)
	}
}

// run compresses the file that the arguments name.
func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: compress LEVEL FILE")
	}
	level, err := strconv.Atoi(args[0])
	if err != nil || level < 0 || level > 11 {
		return fmt.Errorf("the level %q must be 0…11", args[0])
	}
	return brotli.File(args[1], level)
}
