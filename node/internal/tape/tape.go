package tape

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/vm"
)

// A Tape gives a server what it uses instead of a part of its machine. A Player ignores the
// machine's own part, which can be nil.
type Tape interface {
	Entropy(own io.Reader) io.Reader
	Identity(own seal.KeyPair) seal.KeyPair
	Folders(own []fs.FS) []fs.FS
	Files(own fs.FS) fs.FS
	ReadFile(name string) ([]byte, error)
	Store(own store.Store) store.Store
	Network(own sockets.Network) sockets.Network
	Resolver(own engine.Resolver) engine.Resolver
	Trials(own script.RunTests) script.RunTests
	Plain(own func(netcore.Addr) bool) func(netcore.Addr) bool
	Command(own console.Command) console.Command
	Edited(own data.Reading) (text string, changed bool, err error)
	Setup(s *script.Setup)
	Tickets(own Tickets) Tickets
}

// Untaped is the Tape of a server that is neither recorded nor played.
type Untaped struct{}

func (Untaped) Entropy(own io.Reader) io.Reader                           { return own }
func (Untaped) Identity(own seal.KeyPair) seal.KeyPair                    { return own }
func (Untaped) Folders(own []fs.FS) []fs.FS                               { return own }
func (Untaped) Files(own fs.FS) fs.FS                                     { return own }
func (Untaped) ReadFile(name string) ([]byte, error)                      { return readFile(name) }
func (Untaped) Store(own store.Store) store.Store                         { return own }
func (Untaped) Network(own sockets.Network) sockets.Network               { return own }
func (Untaped) Resolver(own engine.Resolver) engine.Resolver              { return own }
func (Untaped) Trials(own script.RunTests) script.RunTests                { return own }
func (Untaped) Plain(own func(netcore.Addr) bool) func(netcore.Addr) bool { return own }
func (Untaped) Command(own console.Command) console.Command               { return own }
func (Untaped) Edited(own data.Reading) (string, bool, error)             { return own() }
func (Untaped) Setup(*script.Setup)                                       {}
func (Untaped) Tickets(own Tickets) Tickets                               { return own }

// ListNames are the small files of the data folder that a server reads at its start.
var ListNames = []string{"bans", "mutes", "allowed", "rights", "passed", "recent"}

// A Config is what a server is made of: the description in the header of its journal.
type Config struct {
	Name       string            `json:"name"`
	Password   string            `json:"password,omitempty"`
	Load       []string          `json:"load,omitempty"`
	Mission    string            `json:"mission,omitempty"`
	MaxClients int               `json:"max_clients,omitempty"`
	Strict     bool              `json:"strict,omitempty"`
	Restarts   bool              `json:"restarts,omitempty"`
	Socket     bool              `json:"socket,omitempty"`    // it has a UDP socket
	Web        bool              `json:"web,omitempty"`       // it serves browsers
	LocalWeb   bool              `json:"local_web,omitempty"` // without limits for those of this machine
	Store      bool              `json:"store,omitempty"`     // it has a data folder
	Tests      bool              `json:"tests,omitempty"`     // of mods before a reload
	Network    bool              `json:"network,omitempty"`   // mods can have connections
	Resolver   bool              `json:"resolver,omitempty"`
	Vars       []Var             `json:"vars,omitempty"`
	Scripts    []Script          `json:"scripts,omitempty"`
	Lists      map[string]string `json:"lists,omitempty"` // the small files of the data folder, by name
	Commands   []Command         `json:"commands,omitempty"`
	Peers      []Peer            `json:"peers,omitempty"`
	Fleet      string            `json:"fleet,omitempty"` // the name of the server in its fleet; "" without one
	Folders    []string          `json:"folders"`         // of mods: their paths; "" if they are not on a disk
	Files      bool              `json:"files,omitempty"`
	Seed       uint64            `json:"seed"`
	Entropy    [32]byte          `json:"entropy"` // key of ChaCha8
	Key        string            `json:"key"`     // public key of the server
	Date       int64             `json:"date"`    // of the machine at the beginning, in ns since 1970
}

// A Peer is another server to which the server sends players.
type Peer struct{ Name, Address, Key string }

// A Var is a value for a console variable.
type Var struct{ Name, Value, From string }

// A Script is code to run at the start.
type Script struct{ Name, Code string }

// A Command is one that the program adds to the console.
type Command struct {
	Name, Params, Help string
	RunsLines, Secret  bool
	Line               bool // it gets typed lines unparsed
}

// text returns the text of an error, or "".
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// textError is an error of the machine that was recorded. ok is false for none.
func textError(s string) error {
	if s == "" {
		return nil
	}
	return said(s)
}

// said is an error that has only its text.
type said string

func (s said) Error() string { return string(s) }

// encode returns v as JSON.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: " + err.Error()) // only types of this package and of its arguments
	}
	return b
}

// faultMark describes a fault in a Mark entry: the mod, the handler, the place and the text.
func faultMark(f *vm.Fault) string {
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return strings.Join([]string{"fault", f.Mod, f.Handler, at, f.Text}, "\t")
}
