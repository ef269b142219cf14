//go:build !js

package node

import "github.com/torc-engine/torc/node/internal/modnet"

func newModNetwork() modNetwork { return modnet.New() }
