package core

import "github.com/torc-engine/torc/script"

// Parts are nil in a page. A program for wasm that runs a server sets them, as package replay does.
var Parts *script.Parts
