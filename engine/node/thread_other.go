//go:build !linux

package node

import "github.com/torc-engine/torc/script/vm"

// pinThread is missing where Go cannot read the CPU clock of a thread. Scripts end by their
// instructions and their memory there.
var pinThread vm.Thread
