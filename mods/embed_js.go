package mods

import "embed"

// A page only runs the client side of base, and each byte is downloaded.
//
//go:embed base/mod.toml base/client
var files embed.FS
