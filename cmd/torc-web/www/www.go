// Package www holds the files of the page in which the client runs. They refer to each other, and
// to wasm_exec.js and torc.wasm beside them, only as "./NAME" in quotes, so a server can rename all
// of them alike.
package www

import "embed"

// FS has index.html and all that it loads, except the program: torc.wasm, and wasm_exec.js of the
// Go version that has built it.
//
//go:embed index.html *.js *.css
var FS embed.FS
