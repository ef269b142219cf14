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

// Socket is what the socket is called in a data folder.
const Socket = "console.sock"

// Server hands what clients want to who owns the console.
type Server struct {
	listener net.Listener
	requests chan *Request
	closing  chan struct{}
	conns    sync.WaitGroup

	mu       sync.Mutex
	sessions []*session
}

// A session is one client at the console.
type session struct {
	conn     net.Conn
	pipe     *prompt.LineMode
	attached bool   // of the server's lock
	chunk    string // the owner's: what was typed and is unfinished
}

// Listen opens the socket. What is left there of a process that has ended without a word is removed: the caller must
// hold the lock of the folder.
func Listen(path string) (*Server, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := listen(path)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: l, requests: make(chan *Request), closing: make(chan struct{})}
	s.conns.Add(1)
	go s.accept()
	return s, nil
}

// Requests is where requests come from. The owner takes them when it has time; each must be answered.
func (s *Server) Requests() <-chan *Request { return s.requests }

// Print tells a line of the console, or several, to all who are attached. It never blocks, and may be called from any
// goroutine.
func (s *Server) Print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.sessions {
		if at.attached {
			at.pipe.Print("|" + strings.ReplaceAll(text, "\n", "\n|"))
		}
	}
}

// Close says goodbye to all clients and removes the socket. What was not answered is not. Who does not read is waited for
// a second.
func (s *Server) Close() error {
	close(s.closing)
	err := s.listener.Close()
	s.conns.Wait()
	return err
}

func (s *Server) accept() {
	defer s.conns.Done()
	for {
		c, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of files: others will close theirs
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
		_, _ = fmt.Fprintf(c, "error: %d others talk to this server already\n", maxClients) // it fits into what the system keeps
		c.Close()
	}
}

// open makes a session for a client, if one is free.
func (s *Server) open(c net.Conn) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) == maxClients {
		return nil
	}
	at := &session{conn: c, pipe: prompt.NewLineMode(c, c)}
	s.sessions = append(s.sessions, at)
	return at
}

// serve asks the owner line by line, until the client has gone or the server ends.
func (s *Server) serve(at *session) {
	defer s.conns.Done()
	for s.next(at) {
	}
	select {
	case <-s.closing:
		at.pipe.Print("bye")
	default:
	}
	_ = at.pipe.Close() // what he does not read is lost
	at.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = slices.DeleteFunc(s.sessions, func(other *session) bool { return other == at })
}

// next answers one line; false says that it was the last.
func (s *Server) next(at *session) bool {
	select {
	case line, open := <-at.pipe.Lines():
		return open && !line.Incomplete && s.ask(at, line.Text) // of what is torn nobody knows how it would go on
	case <-s.closing:
		return false
	}
}

// ask waits for the owner's answer; there is none when the server closes.
func (s *Server) ask(at *session, line string) bool {
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
	select {
	case s.requests <- r:
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
