// Package page is the page of this game: torc's, with another title and a script more.
package page

import (
	"embed"
	"io/fs"
	"strings"
	"testing/fstest"

	"github.com/torc-engine/torc/cmd/torc-web/www"
)

//go:embed *.js
var own embed.FS

// Folders are the files of the page for Web.Pages. A file of a later folder replaces one of an
// earlier folder.
func Folders() ([]fs.FS, error) {
	index, err := fs.ReadFile(www.FS, "index.html")
	if err != nil {
		return nil, err
	}
	text := strings.NewReplacer(
		"<title>torc</title>", "<title>Lights</title>\n"+`<script type="module" src="./badge.js"></script>`,
		"<h1>torc</h1>", "<h1>Lights</h1>",
	).Replace(string(index))
	return []fs.FS{www.FS, own, fstest.MapFS{"index.html": {Data: []byte(text)}}}, nil
}
