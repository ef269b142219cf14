// Package www holds the files of the page in which the client runs. They refer to each other, and
// to wasm_exec.js and torc.wasm beside them, only as "./NAME" in quotes, so a server can rename all
// of them alike.
package www

import "embed"

// FS has index.html and all that it loads, except the program: torc.wasm, and wasm_exec.js of the
// Go version that has built it. The library, three.js, is compressed: it is two thirds of the page.
//
//go:embed index.html *.js *.css three.js.gz
var FS embed.FS
