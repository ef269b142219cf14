package attach

import (
	"cmp"
	"errors"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/sshd"
	"github.com/torc-engine/torc/node/remote"
)

// linesTime is the part of a tick in which lines of other processes can start.
const linesTime = 8 * time.Millisecond

var errEnding = errors.New("the server is ending")

// Options are what a Service needs besides the core of its server.
type Options struct {
	Backup  func(name string, done func(path string, err error)) // copies the stored values of mods
	Rights  func(role, command string) bool                      // reports whether a role can run a command
	SSH     string                                               // HOST:PORT of the console over SSH; "" serves none
	SSHKeys string                                               // path of the file of keys that can use it; "" is ssh_keys in the data folder
}

// A Service lets other processes reach the console of a server: over a socket in its data folder,
// and over SSH. Lines wait for the tick. It also has the debugger of mods.
type Service struct {
	core.Passive
	core    *core.Core
	opts    Options
	server  *remote.Listener // nil: there is no data folder
	waiting []*remote.Request
	current *remote.Request // came from another process; nil: none runs
	debug   *debugging
	ssh     *sshd.Listener // nil: the console is not served over SSH
}

// New accepts requests, if there is a data folder. The server also runs without them.
func New(c *core.Core, opts Options) *Service {
	s := &Service{core: c, opts: opts}
	if !c.Home.HasFolder() {
		return s
	}
	s.server = remote.New()
	c.AddOutput(s.server.Print)
	c.Before(s.run)
	c.Line.Later = s.later
	go core.Forward(c.Posts, s.server.Requests(), s.add, late)
	if err := s.server.Listen(c.Home.Path(remote.Socket)); err != nil {
		c.Log.Warn("torc console, torc backup, torc check and torc mod debug cannot reach this server", "why", err)
	}
	s.debug = &debugging{core: c, silence: maxSilence}
	go s.debug.serve(s.server.Debugs())
	return s
}

// SetSilence changes how long a debugger can be silent while a script stands still. Tests stop for
// longer.
func (s *Service) SetSilence(d time.Duration) { s.debug.silence = d }

// Start serves the console over SSH. Lines arrive like those of other processes.
func (s *Service) Start(c *core.Core) error {
	if s.opts.SSH == "" {
		return nil
	}
	err := errors.New("needs a data folder")
	if s.server != nil {
		s.ssh, err = sshd.Listen(sshd.Options{
			Address: s.opts.SSH, HostKey: c.Home.Path("ssh_host_key"), Keys: cmp.Or(s.opts.SSHKeys, c.Home.Path("ssh_keys")),
			History: c.Home.Path("ssh_history"), Networks: c.Home.Path("ssh_networks"), Console: s.server, May: s.opts.Rights,
			Note: func(by, did string) { c.Post(func() { c.Record(by, did, nil) }) },
			Log:  c.Log, Now: time.Now,
		})
	}
	if err != nil {
		return &core.ConfigError{Field: "SSH", Value: s.opts.SSH, Err: err}
	}
	return nil
}

// AddAddresses adds where the console is served over SSH.
func (s *Service) AddAddresses(a *core.Addresses) {
	if s.ssh != nil {
		a.SSH, a.Fingerprint = netip.MustParseAddrPort(s.ssh.Addr().String()), s.ssh.Fingerprint()
	}
}

// Close ends all connections.
func (s *Service) Close() error {
	if s.server != nil {
		_ = s.server.Close() // a leftover socket file does no harm
	}
	if s.ssh != nil {
		_ = s.ssh.Close() // users learn of it by the end of their connections
	}
	return nil
}

// later returns the function that answers the current line when the work of a command is done; nil
// if the line did not come from another process.
func (s *Service) later() func(out string, err error) {
	if s.current == nil {
		return nil
	}
	return s.current.Later()
}

// add queues a request. A backup starts at once and answers by itself.
func (s *Service) add(r *remote.Request) {
	switch {
	case s.core.Ending():
		late(r)
	case r.Verb == remote.Backup:
		s.opts.Backup(r.Text, r.Answer)
	default:
		s.waiting = append(s.waiting, r)
	}
}

// late refuses a request to a server that ends. The connection of a prompt ends with the server.
func late(r *remote.Request) {
	if !r.IsTyped() {
		r.Answer("", errEnding)
	}
}

// run runs waiting lines, as many as fit into a part of a tick.
func (s *Service) run() {
	c := s.core
	for start := c.Now(); c.Ready && !c.Ending() && len(s.waiting) > 0 && c.Now()-start < linesTime; {
		r := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.current, c.Line.Remote, c.Line.User = r, true, r.User().Name
		r.Run(c.Side.Console)
		s.current, c.Line.Remote, c.Line.User = nil, false, ""
	}
}
