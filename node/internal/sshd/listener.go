package sshd

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/torc-engine/torc/node/internal/rights"
	"github.com/torc-engine/torc/node/remote"
)

const (
	handshakeTime = 15 * time.Second // from the connection to the end of the authentication
	sessionTime   = 10 * time.Second // from there to the session
	idleTime      = 30 * time.Minute // without a typed byte
	aliveTime     = 30 * time.Second // between the questions to a peer, and for each answer
	endTime       = time.Second      // for sessions that end, and to tell a client that there is no room
)

// adminRole has the operator's rights.
const adminRole = rights.Admin

// Options are what a Listener needs of a server.
type Options struct {
	Address string // HOST:PORT; without HOST only this machine can connect
	HostKey string // the path of the key of the server
	Keys    string // the path of the keys of users
	History string // the folder for the lines that users typed
	// Networks is the path of the file of networks from which a key was accepted; "" is none.
	Networks string

	Console *remote.Listener
	// May reports whether a role can run a command, on the goroutine that owns the console.
	May func(role, command string) bool
	// Note adds an entry to the audit log. It can wait for the owner of the console, so only the
	// goroutines of sessions call it.
	Note func(by, did string)
	Log  *slog.Logger
	Now  func() time.Time
}

// Listener accepts SSH connections.
type Listener struct {
	options  Options
	listener net.Listener
	config   *ssh.ServerConfig
	host     ssh.Signer
	limits   *limits
	conns    sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

// newListener reads the files of keys. It opens no socket.
func newListener(o Options) (*Listener, error) {
	keys, err := readKeys(o.Keys)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		o.Log.Warn("nobody can use the SSH console: the file of keys has no line", "file", o.Keys)
	}
	known, err := openNetworks(o.Networks)
	if err != nil {
		o.Log.Warn("the networks of operators begin anew", "why", err)
	}
	s := &Listener{options: o, limits: newLimits(known), open: map[net.Conn]bool{}}
	if s.host, err = hostKey(o.HostKey); err != nil {
		return nil, err
	}
	algorithms := ssh.SupportedAlgorithms()
	s.config = &ssh.ServerConfig{
		Config:                  ssh.Config{KeyExchanges: algorithms.KeyExchanges, Ciphers: algorithms.Ciphers, MACs: algorithms.MACs},
		PublicKeyAuthAlgorithms: algorithms.PublicKeyAuths,
		PublicKeyCallback:       s.authenticate,
		ServerVersion:           "SSH-2.0-torc",
	}
	s.config.AddHostKey(s.host)
	return s, nil
}

// Listen opens the socket. An empty host means this machine alone, 0.0.0.0 all IPv4 addresses, [::]
// those of both families.
func Listen(o Options) (*Listener, error) {
	host, port, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, errors.New("must be HOST:PORT, for example 127.0.0.1:2222")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	s, err := newListener(o)
	if err != nil {
		return nil, err
	}
	family := "tcp"
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
		family = "tcp4" // "tcp" takes 0.0.0.0 for the addresses of both families
	}
	if s.listener, err = net.Listen(family, net.JoinHostPort(host, port)); err != nil {
		return nil, err
	}
	go s.accept()
	return s, nil
}

// Addr returns the address of the socket.
func (s *Listener) Addr() net.Addr { return s.listener.Addr() }

// Fingerprint returns the fingerprint of the server's key, as ssh shows it.
func (s *Listener) Fingerprint() string { return ssh.FingerprintSHA256(s.host.PublicKey()) }

// Close ends all connections. The console must be closed already, so that users learn of the end.
func (s *Listener) Close() error {
	err := s.listener.Close()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	left := make(chan struct{})
	go func() { s.conns.Wait(); close(left) }()
	late := time.NewTimer(endTime)
	defer late.Stop()
	select {
	case <-left:
	case <-late.C:
	}
	s.mu.Lock()
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	<-left
	return err
}

func (s *Listener) accept() {
	for {
		c, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of files
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if !s.begin(c) {
			c.Close()
		}
	}
}

// begin starts a connection. It returns false if a limit refuses it.
func (s *Listener) begin(c net.Conn) bool {
	p, warn := s.limits.begin(c, s.options.Now())
	if warn { // not in the audit log: strangers must not push out its entries
		s.options.Log.Warn("too many SSH connections without a session: the address must wait", "address", network(c.RemoteAddr()).String())
	}
	if p == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.limits.failed(p)
		return false
	}
	s.open[c] = true
	s.conns.Go(func() {
		defer func() {
			c.Close()
			s.mu.Lock()
			delete(s.open, c)
			s.mu.Unlock()
		}()
		s.serve(c, p)
	})
	return true
}

// authenticate decides about a key that a client offers. The client has not yet proved that it has
// the key. It reads the file each time, so that a change counts at once.
func (s *Listener) authenticate(_ ssh.ConnMetadata, public ssh.PublicKey) (*ssh.Permissions, error) {
	keys, err := readKeys(s.options.Keys)
	if err != nil {
		s.options.Log.Error("nobody can use the SSH console", "why", err)
		return nil, errors.New("the keys cannot be read")
	}
	k, known := find(keys, public)
	if !known {
		return nil, errors.New("unknown key")
	}
	return &ssh.Permissions{ExtraData: map[any]any{keyOf{}: k}}, nil
}

// keyOf is the name of the key in ssh.Permissions.
type keyOf struct{}

// serve runs a connection to its end.
func (s *Listener) serve(c net.Conn, p *pending) {
	late := time.AfterFunc(handshakeTime, func() { c.Close() })
	conn, channels, requests, err := ssh.NewServerConn(c, s.config)
	if late.Stop(); err != nil {
		s.limits.failed(p)
		if yes, untold := s.limits.tell(p, s.options.Now()); yes {
			s.options.Log.Info("ssh refused", "address", c.RemoteAddr().String(), "why", err, "unlogged_before", untold)
		}
		return
	}
	k := conn.Permissions.ExtraData[keyOf{}].(key)
	if err := s.limits.networks.accepted(p.network, s.options.Now()); err != nil {
		s.options.Log.Warn("a network of an operator is known only until the server ends", "why", err)
	}
	go ssh.DiscardRequests(requests)
	full := s.limits.enter(k, k.role == adminRole)
	if full == "" {
		s.limits.succeeded(p)
		defer s.limits.leave(k)
	} else {
		s.limits.failed(p)
	}
	u := &user{Listener: s, key: k, conn: conn}
	u.serve(channels, full)
}

// user is an authenticated connection.
type user struct {
	*Listener
	key  key
	conn *ssh.ServerConn
}

// serve runs the session of a connection. full is why it has none. Further channels, and those of
// other kinds, are refused.
func (u *user) serve(channels <-chan ssh.NewChannel, full string) {
	wait := sessionTime
	if full != "" {
		wait = endTime
	}
	late := time.AfterFunc(wait, func() { u.conn.Close() })
	defer late.Stop()
	begun := false
	for n := range channels {
		switch {
		case n.ChannelType() != "session":
			_ = n.Reject(ssh.Prohibited, "this is a console: there is no forwarding")
		case full != "":
			_ = n.Reject(ssh.ResourceShortage, full)
		case begun:
			_ = n.Reject(ssh.ResourceShortage, "a connection has one session")
		default:
			begun = true
			channel, requests, err := n.Accept()
			if err != nil {
				return
			}
			late.Stop()
			u.conns.Go(func() { u.session(channel, requests) })
		}
	}
}

// revoked returns why the key counts no more, or "".
func (u *user) revoked() string {
	keys, err := readKeys(u.options.Keys)
	if err != nil {
		u.options.Log.Error("nobody can use the SSH console", "why", err)
		return "error: the keys cannot be read"
	}
	if k, known := find(keys, u.key.public); !known || k.role != u.key.role {
		return "error: your key or its role has changed; connect again"
	}
	return ""
}
