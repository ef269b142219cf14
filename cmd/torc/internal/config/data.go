package config

import (
	"errors"
	"path/filepath"
	"runtime"
)

// ErrNoHome is the error of DataFolder if there is no home folder.
var ErrNoHome = errors.New("no home folder for the keys: name a data folder with --data DIR")

// DataFolder returns the default data folder of a role, "server" or "client":
// $XDG_DATA_HOME/torc/ROLE, or else the folder that the platform has for such files.
func DataFolder(role string, env func(string) (string, bool)) (string, error) {
	if dir, ok := env("XDG_DATA_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "torc", role), nil
	}
	if dir, ok := env("LOCALAPPDATA"); ok && runtime.GOOS == "windows" {
		return filepath.Join(dir, "torc", role), nil
	}
	home, ok := env("HOME")
	if !ok || home == "" {
		return "", ErrNoHome
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "torc", role), nil
	}
	return filepath.Join(home, ".local", "share", "torc", role), nil
}
