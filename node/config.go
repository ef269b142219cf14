package node

import (
	"context"
	"io"
	"io/fs"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script/vm"
)

// Config describes a node. The zero value of a field is its default. A server does not read Client,
// and a client does not read Server.
type Config struct {
	Common
	Server ServerConfig
	Client ClientConfig
}

// ServerConfig describes a server: its world, and how others reach it. The zero value of a field is
// its default.
type ServerConfig struct {
	// Load names the mods to load. base is always loaded.
	Load []string
	// Mission is loaded at the start; "" leaves that to the mods.
	Mission string
	// MaxClients is the highest number of connected clients; 0 is 128.
	MaxClients int
	// Restarts adds the command restart to the console. The program runs a new Server after
	// ErrRestart.
	Restarts bool
	// Trial loads a mod elsewhere and runs its tests, before the mod is reloaded. With untested it
	// only loads the mod. It runs on a goroutine of its own and should return soon after ctx ends.
	// It returns the files that it has compiled, which the reload uses, or nil. modtrial.For of
	// node/modtrial makes it, with the program's own classes. nil reloads without a trial.
	Trial func(ctx context.Context, folders []fs.FS, mod string, untested bool) (*vm.Protos, error)
	// Journal gets all inputs, for a replay; nil records none.
	Journal *Journal

	// Listen is HOST:PORT of the UDP socket. Port 0 picks a free one; "" opens no socket.
	Listen string
	// MapPort asks the router at home to forward the port of the socket.
	MapPort bool
	// Rendezvous is HOST:PORT of a rendezvous to register at; "" is none.
	Rendezvous string
	// Peers are the servers to which this one sends players, and from which it takes them. Each of
	// them must have this one as a peer.
	Peers []Peer
	// Fleet joins the server to others through a bus; nil: it has peers at most.
	Fleet *Fleet
	// Metrics is HOST:PORT to serve the metrics over HTTP; "" serves none.
	Metrics string
	// SSH is HOST:PORT of the console over SSH, which needs a data folder; "" serves none.
	SSH string
	// SSHKeys is the path of the file of keys that can use it; "" is ssh_keys in the data folder.
	SSHKeys string
	// Web is the client for browsers; nil serves none.
	Web *Web
}

// ClientConfig describes a client: its server, and what the program shows. The zero value of a
// field is its default.
type ClientConfig struct {
	// Address of the server: HOST:PORT, or HOST:PORT#KEY, or via:HOST:PORT#KEY with a rendezvous,
	// or the link of its page.
	Address string
	// AcceptKey is the server's key from now on. It replaces a known one.
	AcceptKey *seal.Key
	// Args are the arguments of the connect request.
	Args []string
	// Timeout limits the first connect; 0 is 15 s.
	Timeout time.Duration
	// Reconnect brings a client that was in the game back after a broken line or a restart of the
	// server.
	Reconnect bool
	// Watch joins as a spectator, who sees the game with a delay.
	Watch bool
	// Wander lets a bot make the moves.
	Wander bool
	// Language is that of the player: a tag such as "pt-BR", or a locale such as "pt_BR.UTF-8"; ""
	// is English. The server picks its texts by it.
	Language string
	// Unseen means that nobody looks at the ghosts, so they are not smoothed.
	Unseen bool

	// Record is the path of a new file for a demo of the first game; "" is none.
	Record string
	// Capture gets the traffic of the client with the keys of its sessions, which are secret; nil
	// captures nothing.
	Capture io.Writer
	// Hud gets the lines of the HUD, 1 to script.HudLines; nil discards.
	Hud func(line int, text string)
	// Message gets the messages of the server with their types, such as MsgChat; nil passes them to
	// Output.
	Message func(kind, text string)
	// Effect gets short effects, such as hit; nil discards.
	Effect func(kind string)
	// VoiceIn gets the frames of other players' voices at their arrival, on the goroutine of Run;
	// nil discards them. The data is only valid during the call.
	VoiceIn func(engine.VoiceFrame)
	// VoiceOut returns what the player says, once a tick while the server lets the player talk; nil
	// says nothing. At most ten frames a tick are sent. When the client has gone to another server,
	// the frames of one call are dropped: they were for the first server.
	VoiceOut func() []engine.Speech
	// VoiceRules gets what the server allows whenever that changes; nil discards.
	VoiceRules func(engine.VoiceRules)
	// Elements gets the parts of the HUD that mods show at places of the screen whenever they
	// change, the oldest first; none means that all are over. No element ever changes: a changed
	// one is another pointer with the same Number. Elements must not change anything in the list.
	// nil discards.
	Elements func([]*form.Element)
	// Forms gets the forms that mods show to the player whenever they change, the oldest first;
	// none means that all are over. The newest part of a form can be missing (form.Form.Complete),
	// and so can the pictures in it: the Picture of an image is nil until it has arrived, and Forms
	// is called again then. Its bytes are those of a checked PNG, JPEG or WebP. Forms must not
	// change anything in the list. nil prints each complete form, and the command form answers it.
	// Client.AnswerForm answers.
	Forms func([]*form.Form)
	// Binds gets the keys that mods ask the player for whenever they change, by mod and name; nil
	// discards. To press one is to send the command of its name. The player decides which key it
	// has.
	Binds func([]engine.Bind)
	// Reach finds the addresses of a server to which the client is sent, which must belong to
	// nothing else. It calls done once, on the goroutine of Run, and is called for each connect to
	// that server. The order has no ticket. nil resolves the address of the order; a stepped client
	// then refuses each transfer.
	Reach func(order TransferOrder, done func(to []netcore.Addr, err error))
	// Leaves says that a stepped client no longer uses addresses of Reach, or that of its first
	// server, netcore.LocalAddr(1); nil discards.
	Leaves func(at []netcore.Addr)
	// Arrives says that the client plays at another server from now on, at an address of Reach,
	// before anything of that server is shown; nil discards.
	Arrives func(at netcore.Addr)
	// Asked gets the order of a server that waits for the player, while the variable net.follow is
	// ask; nil when none waits any more. Client.Follow answers it. nil prints a line, and the
	// commands follow and stay answer.
	Asked func(order *TransferOrder)
	// Demo gets each demo that the command record has recorded, in parts that make its file; nil
	// writes files into the data folder.
	Demo func(name string, parts [][]byte)
}
