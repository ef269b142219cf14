//go:build webclient

package webclient

import (
	"embed"
	"io/fs"
)

// built has the files that dist/release has made.
//
//go:embed built
var built embed.FS

var released fs.FS = built
