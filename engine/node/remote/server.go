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

// Socket is the name of the socket in a data folder.
const Socket = "console.sock"

// Listener passes the requests of clients to the owner of the console.
type Listener struct {
	listener net.Listener
	requests chan *Request
	debugs   chan *Request
	closing  chan struct{}
	conns    sync.WaitGroup

	mu       sync.Mutex
	sessions []*session
}

// A session is one client at the console.
type session struct {
	conn     net.Conn
	pipe     *prompt.LineMode
	attached bool   // gets the console's output; guarded by the server's lock
	debugs   bool   // has sent a request of a debugger
	chunk    string // the unfinished chunk; for the owner of the console alone
}

// Listen opens the socket. It removes the socket of a process that crashed, so the caller must hold
// the lock of the folder.
func Listen(path string) (*Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := listen(path)
	if err != nil {
		return nil, err
	}
	s := &Listener{listener: l, requests: make(chan *Request), debugs: make(chan *Request), closing: make(chan struct{})}
	s.conns.Add(1)
	go s.accept()
	return s, nil
}

// Requests returns the channel of requests. The owner must answer each.
func (s *Listener) Requests() <-chan *Request { return s.requests }

// Debugs returns the channel of the requests of debuggers (IsDebug). The owner must answer each, also while a
// script stands still.
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
	close(s.closing)
	err := s.listener.Close()
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
		if at := s.open(c); at != nil {
			s.conns.Add(1)
			go s.serve(at)
			continue
		}
		_, _ = fmt.Fprintf(c, "error: this server has %d console connections already, the maximum\n", maxClients) // it fits into the socket buffer
		c.Close()
	}
}

// open makes a session for a client. It returns nil if there are too many.
func (s *Listener) open(c net.Conn) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) == maxClients {
		return nil
	}
	at := &session{conn: c, pipe: prompt.NewLineMode(c, c)}
	s.sessions = append(s.sessions, at)
	return at
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
		at.attached = true
		s.mu.Unlock()
		at.pipe.Print("ok " + r.number)
		return true
	}
	if r.IsDebug() {
		at.debugs = true
		return s.pass(r, s.debugs)
	}
	return s.pass(r, s.requests)
}

// pass passes a request to the owner and waits for the answer. It returns false if the server closes.
func (s *Listener) pass(r *Request, to chan<- *Request) bool {
	select {
	case to <- r:
	case <-s.closing:
		return false
	}
	select {
	case <-r.done:
		return true
	case <-s.closing:
		return false
	}
}
