package core

import (
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// Common describes what servers and clients share. The zero value of a field is its default.
type Common struct {
	Version  string // of the program, for the command status
	Name     string // of the server, or of the player
	Password string // of the server; "" is none

	// Register adds the program's own Go classes to those of engine and game. A server describes
	// its classes to a client that lacks them (docs/extend.md).
	Register func(classes *sim.Classes) error
	// Events are the program's own kinds of events. A peer whose program lacks one gets none of it.
	Events []engine.CustomKind
	// Commands are added to the console.
	Commands []console.Command
	// Mods are folders of mods, besides the mods that come with torc. Where two folders have a mod
	// of the same name, the later folder wins.
	Mods []fs.FS
	// Files are read by the console command exec; nil has no files.
	Files fs.FS

	// Data is the data folder. It holds the identity, and on a server also the bans, the roles, the
	// audit log and the values that mods store. It is created with mode 0700, and a server locks
	// it. "" keeps all of that in memory, so the identity is new in each run.
	Data string

	Vars    []Var    // console variables, set in this order
	Scripts []Script // run in this order when the mods are loaded, before anyone can join
	Strict  bool     // a mod with an error fails Start
	Seed    *uint64  // of everything random in the simulation; nil draws one

	Log    *slog.Logger      // nil discards
	Output func(text string) // gets the console's output, on the goroutine of Run; nil discards
	Hooks  Hooks

	// Resolve finds the addresses of HOST:PORT; nil asks the system, on a goroutine of its own.
	Resolve engine.Resolver

	// Identity is the key of the node; nil takes that of the data folder.
	Identity *seal.KeyPair
}

// A Var is a value for a console variable.
type Var struct {
	Name, Value string
	From        string // where the value comes from, for messages: "torc.toml: [vars]"
}

// A Script is code to run at the start of a node.
type Script struct {
	Name string // of a file: NAME.lua is one chunk of Lua, any other file is console lines; "" is Lua
	Code string
}

// A ConfigError says that a field of a Config is wrong.
type ConfigError struct {
	Field string // of Config
	Value string // the offending part of it
	Err   error
}

// Error names the field and its value.
func (e *ConfigError) Error() string {
	return "node: " + e.Field + " " + e.Value + ": " + e.Err.Error()
}

// Unwrap returns what is wrong with the value.
func (e *ConfigError) Unwrap() error { return e.Err }

// A ConnectError says that a client did not get into a server.
type ConnectError struct {
	Address string
	Err     error
}

// Error returns why the client did not get in.
func (e *ConnectError) Error() string { return e.Err.Error() }

// Unwrap returns why the client did not get in.
func (e *ConnectError) Unwrap() error { return e.Err }

// DrawSeed returns the given seed, or draws one.
func DrawSeed(given *uint64, entropy io.Reader) uint64 {
	if given != nil {
		return *given
	}
	var b [8]byte
	_, _ = io.ReadFull(entropy, b[:]) // that of a machine never fails
	return binary.LittleEndian.Uint64(b[:])
}

// PickResolver returns the given Resolver, or the one of this machine.
func PickResolver(given engine.Resolver, p *Posts) engine.Resolver {
	if given != nil {
		return given
	}
	return resolver(p)
}

// NotConnected returns the error of a client that did not get into a server.
func NotConnected(address, reason string) *ConnectError {
	return &ConnectError{Address: address, Err: fmt.Errorf("could not connect to %s: %s", address, reason)}
}

// HostPort returns the HOST:PORT of a server's address; of a link, the address of the page.
func HostPort(address string) string {
	if link, is, err := engine.ParseLink(address); is && err == nil {
		return link.Site
	}
	hostport, _, _ := strings.Cut(address, "#")
	return netcore.WithPort(hostport)
}
