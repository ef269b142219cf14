package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/engine/node/data"
	"github.com/torc-engine/torc/engine/node/remote"
	"github.com/torc-engine/torc/engine/node/store"
)

// backup copies the store of a data folder to a file, whether a server runs there or not.
func backup(o *config.Options, stdout io.Writer) error {
	dir, err := storeFolder(o)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(o.File)
	if err != nil {
		return err
	}
	if same(to, filepath.Join(dir, storeFile)) {
		return fmt.Errorf("%s is the store itself: name another file", to)
	}
	from, served, err := fromServer(dir)
	if err != nil {
		return err
	}
	if served {
		err = store.Move(from, to)
	} else {
		err = alone(dir, func(path string) error { return store.Copy(path, to) })
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(to)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %d bytes\n", to, info.Size())
	return err
}

// same reports whether two names lead to one file.
func same(a, b string) bool {
	one, err := os.Stat(a)
	two, wrong := os.Stat(b)
	return err == nil && wrong == nil && os.SameFile(one, two)
}

// check looks at all of a store: a file, or that of a data folder. Of one that is in use it looks at a copy.
func check(o *config.Options, stdout io.Writer) error {
	if o.File != "" {
		return report(o.File, o.File, stdout)
	}
	dir, err := storeFolder(o)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, storeFile)
	copied, served, err := fromServer(dir)
	if err != nil {
		return err
	}
	if served {
		return errors.Join(report(path, copied, stdout), os.Remove(copied))
	}
	return alone(dir, func(file string) error { return report(path, file, stdout) })
}

// report checks a file that people know by a name.
func report(name, file string, stdout io.Writer) error {
	r, err := store.Check(file)
	if err != nil {
		return err
	}
	for _, h := range r.Mods {
		fmt.Fprintf(stdout, "%s: %d keys, %d bytes\n", h.Mod, h.Keys, h.Bytes)
	}
	for _, p := range r.Problems {
		fmt.Fprintln(stdout, p)
	}
	if n := len(r.Problems); n > 0 {
		return fmt.Errorf("%s is damaged, %d things are wrong: put a backup in its place", name, n)
	}
	_, err = fmt.Fprintln(stdout, name+" is sound")
	return err
}

// storeFolder is the data folder, which must have a store.
func storeFolder(o *config.Options) (string, error) {
	dir, err := dataFolder(o)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, storeFile)); err != nil {
		return "", fmt.Errorf("the data folder %s has no store: name another with --data DIR", dir)
	}
	return filepath.Abs(dir)
}

// fromServer asks the server that runs on a folder for a copy of its store; served is false if none runs.
func fromServer(dir string) (path string, served bool, err error) {
	c, err := remote.Dial(filepath.Join(dir, remote.Socket))
	if err != nil {
		return "", false, nil // nobody listens; alone finds out if somebody is there all the same
	}
	defer c.Close()
	path, err = c.Backup(fmt.Sprintf("torc-%d.db", os.Getpid()))
	return path, true, err
}

// alone does something with a store that no server uses, and keeps servers out meanwhile.
func alone(dir string, do func(path string) error) error {
	home, err := data.Open(dir, true)
	if err != nil {
		return fmt.Errorf("%w (or it runs, and cannot be reached at %s)", err, filepath.Join(dir, remote.Socket))
	}
	defer home.Close()
	return do(home.Path(storeFile))
}
