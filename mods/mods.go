// Package mods holds the mods that come with torc: base, which every server loads first, and hello,
// a small one to learn from.
package mods

import (
	"embed"
	"io/fs"
)

//go:embed base hello
var files embed.FS

// FS is the folder of mods: one folder for each, named like the mod.
func FS() fs.FS { return files }
