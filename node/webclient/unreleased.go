//go:build !webclient

package webclient

import "io/fs"

// released has the files of a release: none here.
var released fs.FS
