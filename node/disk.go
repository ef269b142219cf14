//go:build !js

package node

import (
	"log/slog"

	"github.com/torc-engine/torc/node/internal/store"
	"github.com/torc-engine/torc/node/remote"
)

const (
	storeName    = "store.db" // of the store's file in the data folder
	backupFolder = store.Folder
	remoteName   = remote.Socket
)

func openStore(path string, log *slog.Logger) (storeFile, error) { return store.Open(path, log) }
