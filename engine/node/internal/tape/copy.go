package tape

import (
	"io/fs"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/sockets"
)

// A Copy plays a journal to a server and records that server. The secrets and the key of the second journal are its own.
type Copy struct {
	*Recorder
	From     *Player
	Password func(string) string // changes the text of a password file
}

func (c *Copy) Folders([]fs.FS) []fs.FS         { return c.Recorder.Folders(c.From.Folders(nil)) }
func (c *Copy) Files(fs.FS) fs.FS               { return c.Recorder.Files(c.From.Files(nil)) }
func (c *Copy) Store(script.Store) script.Store { return c.Recorder.Store(c.From.Store(nil)) }
func (c *Copy) Trials(RunTests) RunTests        { return c.Recorder.Trials(c.From.Trials(nil)) }
func (c *Copy) Resolver(engine.Resolver) engine.Resolver {
	return c.Recorder.Resolver(c.From.Resolver(nil))
}
func (c *Copy) Network(sockets.Network) sockets.Network {
	return c.Recorder.Network(c.From.Network(nil))
}
func (c *Copy) Plain(func(netcore.Addr) bool) func(netcore.Addr) bool {
	return c.Recorder.Plain(c.From.Plain(nil))
}

// Command returns the command that plays, and records, what a command of the program did.
func (c *Copy) Command(own console.Command) console.Command {
	return c.Recorder.Command(c.From.Command(own))
}

// ReadFile reads a file of the recorded disk: one with a password.
func (c *Copy) ReadFile(name string) ([]byte, error) {
	b, err := c.From.ReadFile(name)
	b = []byte(c.Password(strings.TrimSpace(string(b))))
	return b, c.note(access{wholeDisk, "text", name}, result{text: b, Error: fileErrorOf(err)}).Error.error()
}

// Setup plays the verdicts of the meter, and records them and the faults.
func (c *Copy) Setup(s *script.Setup) {
	c.From.Setup(s)
	c.Recorder.Setup(s)
}

// MapAddresses returns the addresses of an entry, each changed by to.
func MapAddresses(data []byte, to func(netcore.Addr) netcore.Addr) (b []byte) {
	for ; len(data) >= addrSize; data = data[addrSize:] {
		a, _ := parseAddr(data[:addrSize]) // the size is right
		b = appendAddr(b, to(a))
	}
	return b
}

var _ Tape = (*Copy)(nil)
