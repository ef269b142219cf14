package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/console/prompt"
)

const maxClients = 8 // at a time

// A server says alive each aliveTime while the owner works on a request: a mod that is tested, a
// store that is copied, a script that stands at a breakpoint.
const (
	alive     = "alive"
	aliveTime = maxSilence / 4
)

// Socket is the name of the socket in a data folder.
const Socket = "console.sock"

// Listener passes the requests of clients to the owner of the console.
type Listener struct {
	listener net.Listener // nil: there is no socket
	requests chan *Request
	debugs   chan *Request
	closing  chan struct{}
	conns    sync.WaitGroup

	mu       sync.Mutex
	sessions []*session
	closed   bool
}

// A User is the person at a console.
type User struct {
	Name string // for the audit log; "" is the operator
	// May reports whether the user can run a command. Such a user can run nothing else, and sees no
	// output but the results of its own lines. nil: the user has the operator's rights. It is
	// called on the goroutine that owns the console.
	May func(command string) bool
}

// A session is one client at the console.
type session struct {
	user     User
	conn     net.Conn
	pipe     *prompt.LineMode
	attached bool   // gets the console's output; guarded by the server's lock
	debugs   bool   // has sent a request of a debugger
	chunk    string // the unfinished chunk; for the owner of the console alone
}

// New returns a listener without a socket.
func New() *Listener {
	return &Listener{requests: make(chan *Request), debugs: make(chan *Request), closing: make(chan struct{})}
}

// Listen opens the socket. It removes the socket of a process that crashed, so the caller must hold
// the lock of the folder.
func (s *Listener) Listen(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var err error
	if s.listener, err = listen(path); err != nil {
		return err
	}
	s.conns.Add(1)
	go s.accept()
	return nil
}

// Dial connects a user who came another way than over the socket. The caller must limit the number
// of links, and close them.
func (s *Listener) Dial(u User) *Link {
	here, there := net.Pipe()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		there.Close()
		return newLink(here)
	}
	s.start(&session{user: u, conn: there, pipe: prompt.NewLineMode(there, there)})
	return newLink(here)
}

// Requests returns the channel of requests. The owner must answer each.
func (s *Listener) Requests() <-chan *Request { return s.requests }

// Debugs returns the channel of the requests of debuggers (IsDebug). The owner must answer each,
// also while a script stands still.
func (s *Listener) Debugs() <-chan *Request { return s.debugs }

// Print sends lines of the console to all attached clients. It never blocks. Any goroutine may call
// it.
func (s *Listener) Print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.sessions {
		if at.attached {
			at.pipe.Print("|" + strings.ReplaceAll(text, "\n", "\n|"))
		}
	}
}

// Close ends all connections and removes the socket. Open requests get no answer. A client that
// does not read delays Close by a second.
func (s *Listener) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	close(s.closing)
	var err error
	if s.listener != nil {
		err = s.listener.Close()
	}
	s.conns.Wait()
	return err
}

func (s *Listener) accept() {
	defer s.conns.Done()
	for {
		c, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of files: try again when other connections have closed
			select {
			case <-s.closing:
				return
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		if s.open(c) {
			continue
		}
		_, _ = fmt.Fprintf(c, "error: this server has %d console connections already, the maximum\n", maxClients) // it fits into the socket buffer
		c.Close()
	}
}

// open starts a session for a client of the socket. It returns false if there are too many.
func (s *Listener) open(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, at := range s.sessions {
		if at.user.Name == "" {
			n++
		}
	}
	if n == maxClients {
		return false
	}
	s.start(&session{conn: c, pipe: prompt.NewLineMode(c, c)})
	return true
}

// start starts a session, under the lock.
func (s *Listener) start(at *session) {
	s.sessions = append(s.sessions, at)
	s.conns.Add(1)
	go s.serve(at)
}

// serve passes a client's lines to the owner, until the client leaves or the server ends.
func (s *Listener) serve(at *session) {
	defer s.conns.Done()
	for s.next(at) {
	}
	if at.debugs {
		s.pass(&Request{Verb: Gone, session: at, done: make(chan struct{})}, s.debugs)
	}
	select {
	case <-s.closing:
		at.pipe.Print("bye")
	default:
	}
	_ = at.pipe.Close() // unread output is lost
	at.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = slices.DeleteFunc(s.sessions, func(other *session) bool { return other == at })
}

// next answers one line. It returns false after the last.
func (s *Listener) next(at *session) bool {
	select {
	case line, open := <-at.pipe.Lines():
		return open && !line.Incomplete && s.ask(at, line.Text) // an incomplete line is not run
	case <-s.closing:
		return false
	}
}

// ask waits for the owner's answer. It returns false if the server closes.
func (s *Listener) ask(at *session, line string) bool {
	r := &Request{session: at, done: make(chan struct{})}
	r.number, line, _ = strings.Cut(line, " ")
	r.Verb, r.Text, _ = strings.Cut(line, " ")
	if r.Verb == "attach" {
		s.mu.Lock()
		at.attached = at.user.May == nil
		s.mu.Unlock()
		at.pipe.Print("ok " + r.number)
		return true
	}
	if at.user.May != nil && (r.Verb == Backup || r.IsDebug()) {
		r.Answer("", errors.New("only the operator can do that"))
		return true
	}
	if r.IsDebug() {
		at.debugs = true
		return s.pass(r, s.debugs)
	}
	return s.pass(r, s.requests)
}

// pass passes a request to the owner and waits for the answer. It returns false if the server
// closes.
func (s *Listener) pass(r *Request, to chan<- *Request) bool {
	lives := time.NewTicker(aliveTime)
	defer lives.Stop()
	for {
		select {
		case to <- r:
			to = nil // the owner has it
		case <-r.done:
			return true
		case <-lives.C:
			r.session.pipe.Print(alive)
		case <-s.closing:
			return false
		}
	}
}
