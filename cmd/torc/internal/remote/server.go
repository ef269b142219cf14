package remote

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	maxLine    = 4096             // bytes of a line
	maxOutput  = 1 << 20          // bytes of an answer
	maxClients = 8                // at a time
	writeTime  = 10 * time.Second // until a client that does not read is dropped
)

// Socket is what the socket is called in a data folder.
const Socket = "console.sock"

// Server hands the lines of clients to who owns the console.
type Server struct {
	listener net.Listener
	requests chan *Request
	closing  chan struct{}
	seats    chan struct{}
	conns    sync.WaitGroup
}

// Request is a line that waits for its answer.
type Request struct {
	Line  string
	reply chan answer
}

type answer struct {
	out string
	err error
}

// Answer ends the request, from any goroutine; only the first call counts.
func (r *Request) Answer(out string, err error) {
	select {
	case r.reply <- answer{out, err}:
	default:
	}
}

// Listen opens the socket. What is left there of a process that has ended without a word is removed: the caller must
// hold the lock of the folder.
func Listen(path string) (*Server, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	s := &Server{
		listener: l, requests: make(chan *Request), closing: make(chan struct{}), seats: make(chan struct{}, maxClients),
	}
	s.conns.Add(1)
	go s.accept()
	return s, nil
}

// Requests is where lines come from. The owner takes them when it has time; each must be answered.
func (s *Server) Requests() <-chan *Request { return s.requests }

// Close ends all connections and removes the socket. What was not answered is not.
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
		select {
		case s.seats <- struct{}{}:
			s.conns.Add(1)
			go s.serve(c)
		default:
			send(c, answer{err: fmt.Errorf("%d others talk to this server already", maxClients)})
			c.Close()
		}
	}
}

// serve answers the lines of one client.
func (s *Server) serve(c net.Conn) {
	defer s.conns.Done()
	gone := make(chan struct{})
	go func() {
		select {
		case <-s.closing:
		case <-gone:
		}
		c.Close()
	}()
	defer func() { close(gone); <-s.seats }()
	lines := bufio.NewScanner(c)
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	for lines.Scan() {
		a, ok := s.ask(lines.Text())
		if !ok || send(c, a) != nil {
			return
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		send(c, answer{err: fmt.Errorf("a line has at most %d bytes", maxLine)})
	}
}

// ask waits for the owner's answer; there is none when the server closes.
func (s *Server) ask(line string) (answer, bool) {
	r := &Request{Line: line, reply: make(chan answer, 1)}
	select {
	case s.requests <- r:
	case <-s.closing:
		return answer{}, false
	}
	select {
	case a := <-r.reply:
		return a, true
	case <-s.closing:
		return answer{}, false
	}
}

// send writes an answer.
func send(c net.Conn, a answer) error {
	var b strings.Builder
	out := a.out
	if len(out) > maxOutput {
		out = out[:maxOutput] + "\n(the rest is left out)"
	}
	if out != "" {
		b.WriteString(" " + strings.ReplaceAll(out, "\n", "\n ") + "\n")
	}
	if a.err != nil {
		b.WriteString("error: " + strings.ReplaceAll(a.err.Error(), "\n", " ") + "\n")
	} else {
		b.WriteString("ok\n")
	}
	if err := c.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	_, err := c.Write([]byte(b.String()))
	return err
}
