package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// backup copies the store of a data folder to a file, whether a server runs there or not.
func (sys *system) backup(o *config.Backup) error {
	dir, err := sys.dataFolder(o.Data)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(o.File)
	if err != nil {
		return err
	}
	size, err := node.Backup(dir, to)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(sys.out, "%s: %d bytes\n", to, size)
	return err
}

// check reads all of a store: a file, or the store of a data folder.
func (sys *system) check(o *config.Check) error {
	if o.File != "" {
		r, err := node.CheckFile(o.File)
		if err != nil {
			return err
		}
		return report(o.File, r, sys.out)
	}
	dir, err := sys.dataFolder(o.Data)
	if err != nil {
		return err
	}
	file, r, err := node.Check(dir)
	if err != nil {
		return err
	}
	return report(file, r, sys.out)
}

// report prints what is in a store, and what is wrong with it.
func report(name string, r node.Report, stdout io.Writer) error {
	for _, h := range r.Mods {
		fmt.Fprintf(stdout, "%s: %d keys, %d bytes\n", h.Mod, h.Keys, h.Bytes)
	}
	for _, p := range r.Problems {
		fmt.Fprintln(stdout, p)
	}
	if n := len(r.Problems); n > 0 {
		return fmt.Errorf("%s is damaged (%d problems): replace it with a backup", name, n)
	}
	_, err := fmt.Fprintln(stdout, name+": no damage found")
	return err
}
