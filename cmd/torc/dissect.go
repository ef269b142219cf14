package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node/dissect"
)

// errEnough ends the reading of a capture: the rest was not asked for.
var errEnough = errors.New("enough")

// dissectCapture runs torc dissect: it prints the packets of a capture.
func dissectCapture(o *config.Dissect, stdout io.Writer) error {
	file, err := os.Open(o.File)
	if err != nil {
		return flags.Usagef("torc dissect: %v", err)
	}
	defer file.Close()
	first, last := o.First, o.Last
	if o.Packet > 0 {
		first, last = o.Packet, o.Packet
	}
	print, out := dissect.Print, bufio.NewWriter(stdout)
	if o.JSON {
		print = dissect.PrintJSON
	}
	err = dissect.Read(file, func(p *dissect.Packet) error {
		switch {
		case last > 0 && p.Packet > last:
			return errEnough
		case p.Packet < first:
			return nil
		}
		return print(out, p)
	})
	if failed := out.Flush(); failed != nil {
		return failed
	}
	if err == nil || errors.Is(err, errEnough) {
		return nil
	}
	return fmt.Errorf("%s: %w", o.File, err)
}

// newCapture makes the file of --capture, nil without it. It never takes an existing file, because
// others can read that.
func newCapture(o *config.Join) (*os.File, error) {
	if o.Capture == "" {
		return nil, nil
	}
	file, err := os.OpenFile(o.Capture, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, flags.Usagef("--capture: %v", err)
	}
	return file, nil
}
