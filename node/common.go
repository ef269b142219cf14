package node

import "github.com/torc-engine/torc/node/internal/core"

type (
	// Common describes what servers and clients share.
	Common = core.Common
	// A Var is a value for a console variable.
	Var = core.Var
	// A Script is code to run at the start of a node.
	Script = core.Script
	// Hooks let a program take part in the loop of a node.
	Hooks = core.Hooks
	// Web describes the client for browsers that a server serves over HTTP, and what connects to
	// it.
	Web = core.Web
	// PageState is what becomes of the client for browsers.
	PageState = core.PageState
	// Addresses are where a server is reached.
	Addresses = core.Addresses
	// An Edge is what a stepped node takes from its machine, and where its datagrams go.
	Edge = core.Edge
	// FolderInUse is the error for the data folder of a server that runs.
	FolderInUse = core.FolderInUse
	// A ConfigError says that a field of a Config is wrong.
	ConfigError = core.ConfigError
	// A ConnectError says that a client did not get into a server.
	ConnectError = core.ConnectError
)

// The states of the client for browsers.
const (
	PagePending = core.PagePending
	PageReady   = core.PageReady
	PageMissing = core.PageMissing
)

// ErrEnded says that a node has ended before it could run a function.
var ErrEnded = core.ErrEnded

// ErrRestart is the result of Run when the server is to start again.
var ErrRestart = core.ErrRestart
