package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/node"
)

// scrubJournal writes a copy of a journal without names, addresses and chat. It never replaces a file.
func scrubJournal(o *config.Options, stdout io.Writer) (err error) {
	in, err := os.Open(o.File)
	if err != nil {
		return &config.UsageError{Text: fmt.Sprintf("torc journal scrub: %v", err)}
	}
	defer in.Close()
	out, err := os.OpenFile(o.Out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return &config.UsageError{Text: fmt.Sprintf("torc journal scrub: %v", err)}
	}
	w := bufio.NewWriter(out)
	r, err := node.ScrubJournal(in, w, nil)
	if err = errors.Join(err, w.Flush(), out.Close()); err != nil {
		_ = os.Remove(o.Out) // it is not whole
		return fmt.Errorf("%s: %w", o.File, err)
	}
	fmt.Fprintf(stdout, "%s: %d ticks; replaced %d names, %d addresses, %d keys, %d passwords and %d texts\n", o.Out, r.Ticks, r.Names, r.Addresses, r.Keys, r.Passwords, r.Texts)
	if r.Difference != "" {
		fmt.Fprintln(stdout, "the game differs from the recorded one: "+console.Clean(r.Difference))
	} else {
		fmt.Fprintln(stdout, "the game is the recorded one")
	}
	_, err = fmt.Fprintln(stdout, "not searched: the source of mods, settings in words, and texts that mods store or receive in a form of their own")
	return err
}
