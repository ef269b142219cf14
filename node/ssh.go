//go:build !js

package node

import (
	"cmp"
	"errors"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/node/internal/sshd"
)

// sshConsole serves the console over SSH.
type sshConsole struct{ server *sshd.Listener }

// openSSH opens the socket. Lines arrive like those of other processes.
func (s *Server) openSSH() (*sshConsole, error) {
	if s.requests == nil {
		return nil, errors.New("needs a data folder")
	}
	server, err := sshd.Listen(sshd.Options{
		Address: s.cfg.Server.SSH, HostKey: s.core.Home.Path("ssh_host_key"), Keys: cmp.Or(s.cfg.Server.SSHKeys, s.core.Home.Path("ssh_keys")),
		History: s.core.Home.Path("ssh_history"), Console: s.requests.server,
		May:  func(role, command string) bool { return s.admin.Rights.May([]string{role}, command) },
		Note: func(by, did string) { s.core.Post(func() { s.admin.Record(by, did, nil) }) },
		Log:  s.core.Log, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	return &sshConsole{server}, nil
}

func (c *sshConsole) addr() netip.AddrPort { return netip.MustParseAddrPort(c.server.Addr().String()) }

func (c *sshConsole) fingerprint() string { return c.server.Fingerprint() }

func (c *sshConsole) close() { _ = c.server.Close() } // users learn of it by the end of their connections
