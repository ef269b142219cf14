package replay

import (
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/plural"
)

// A replay runs a server, also as wasm.
func init() { core.Parts = script.NewParts(plural.For) }
