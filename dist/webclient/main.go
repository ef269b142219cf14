// Command embed writes the built parts of the client for browsers, and the texts of its page in
// brotli, into the folder that a release embeds: embed FOLDER [LEVEL], in the root of the source
// tree. LEVEL is that of brotli, 1 to 11; a release has the highest, which is also what is used if
// there is none.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/internal/brotli"
	"github.com/torc-engine/torc/node/webclient"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// run writes the folder.
func run(args []string) error {
	level, err := levelOf(args)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(args[0])
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	if err != nil {
		return err
	}
	if err := (webclient.Builder{Root: ".", Level: level}).Compile(context.Background(), to); err != nil {
		return err
	}
	return compressTexts(to, level)
}

// compressTexts adds the texts of the page to a folder with the built parts, compressed: servers do
// not have the encoder of brotli.
func compressTexts(to string, level int) error {
	return brotli.Texts(to, level, www.FS, os.DirFS(to))
}

// levelOf returns the level of compression that the arguments ask for.
func levelOf(args []string) (int, error) {
	level := webclient.ReleaseLevel
	if len(args) == 2 {
		level, _ = strconv.Atoi(args[1])
	}
	if len(args) < 1 || len(args) > 2 || level < 1 || level > webclient.ReleaseLevel {
		return 0, fmt.Errorf("usage: embed FOLDER [LEVEL], with a level from 1 to %d", webclient.ReleaseLevel)
	}
	return level, nil
}
