package netpage

import (
	"embed"
	"io/fs"
)

//go:embed page/*.html page/*.js page/*.css
var files embed.FS

// Files returns the files of the page. They refer to each other only as "./NAME" in quotes.
func Files() fs.FS {
	sub, _ := fs.Sub(files, "page") // the name is valid
	return sub
}
