// Package www holds the files of the client for browsers.
package www

import "embed"

//go:embed *.html
var FS embed.FS
