package metrics

import (
	"errors"
	"log/slog"
	"os"
	"syscall"
)

// lookEvery are the ticks between two looks for file descriptors: 10 s.
const lookEvery = 312

// descriptors tells the operator once that the process can open no file. Players notice nothing,
// but consoles, pages and SSH wait without an answer, because nothing can be accepted.
type descriptors struct {
	log   *slog.Logger
	open  func() error // opens a file, and closes it
	ticks int
	out   bool // none was left at the last look
}

// openNull opens the smallest file there is.
func openNull() error {
	f, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	return f.Close()
}

// look runs before each tick.
func (d *descriptors) look() {
	if d.ticks++; d.ticks%lookEvery != 0 {
		return
	}
	err := d.open()
	before := d.out
	d.out = errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
	switch {
	case d.out && !before:
		d.log.Warn("no file descriptors are left: consoles, pages and SSH wait for an answer (ulimit -n, or LimitNOFILE of the unit)", "why", err)
	case before && !d.out:
		d.log.Info("there are file descriptors again")
	}
}
