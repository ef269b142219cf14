package mods

import "embed"

//go:embed base
var files embed.FS
