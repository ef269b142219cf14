package remote

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/torc-engine/torc/console"
)

// Backup is the verb of the request that takes time. The owner must answer it itself; Run does not.
const Backup = "backup"

// The verbs of debuggers. Run carries out none of them.
const (
	Debug   = "debug" // the client becomes the debugger of the mod Text
	Message = "dap"   // Text is a message of the Debug Adapter Protocol
	Beat    = "beat"  // the debugger lives
	Gone    = "gone"  // the connection has ended; comes from no client
)

// Request is a request of a client, which waits for the answer.
type Request struct {
	Verb, Text string
	number     string // the client's own
	session    *session
	once       sync.Once
	done       chan struct{}
	out        string        // of the line, before the answer of a command that takes time
	ran        chan struct{} // closed when the line has run; nil: no command of it takes time
}

// IsDebug reports whether the request is one of a debugger.
func (r *Request) IsDebug() bool {
	return r.Verb == Debug || r.Verb == Message || r.Verb == Beat
}

// IsTyped reports whether the request is one of a prompt. A prompt learns by the end of its
// connection that the server has ended, so such a request needs no answer then.
func (r *Request) IsTyped() bool { return r.Verb == "type" || r.Verb == "end" }

// SameClient reports whether two requests come over the same connection.
func (r *Request) SameClient(as *Request) bool { return r.session == as.session }

// Push sends a message of the Debug Adapter Protocol to the client. It never blocks.
func (r *Request) Push(message []byte) { r.session.pipe.Print("!" + string(message)) }

// Answer answers the request. Any goroutine may call it; only the first call counts.
func (r *Request) Answer(out string, err error) {
	if err != nil {
		r.end("failed", out, " "+strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	r.end("ok", out, "")
}

func (r *Request) end(how, out, why string) {
	text := how + " " + r.number + why
	if out != "" {
		text = " " + strings.ReplaceAll(out, "\n", "\n ") + "\n" + text
	}
	r.once.Do(func() {
		r.session.pipe.Print(text) // here, so that the answer precedes later output of the console
		close(r.done)
	})
}

// Later lets a command that takes time answer the request: unless the line itself fails, the answer
// is its output and what the returned function gets. Call Later while Run runs the line. Any
// goroutine may call the function.
func (r *Request) Later() (answer func(out string, err error)) {
	if r.ran == nil {
		r.ran = make(chan struct{})
	}
	return func(out string, err error) {
		<-r.ran
		r.tell(strings.TrimPrefix(r.out+"\n"+out, "\n"), err)
	}
}

// lineEnds answers the request, or leaves that to a command of the line.
func (r *Request) lineEnds(out string, err error) {
	if r.ran != nil && err == nil {
		r.out = out
		return
	}
	r.tell(out, err)
}

// tell answers the request. The error of a typed line is a part of its output.
func (r *Request) tell(out string, err error) {
	if r.Verb != "run" && err != nil {
		r.end("wrong", printed(out, err), "")
		return
	}
	r.Answer(out, err)
}

// User returns who types.
func (r *Request) User() User { return r.session.user }

// Run carries out the request on a console and answers it. Call it on the goroutine that owns the
// console.
func (r *Request) Run(c *console.Console) {
	defer func() {
		if r.ran != nil {
			close(r.ran)
		}
	}()
	switch r.Verb {
	case "type":
		r.typed(c)
	case "run":
		r.lineEnds(r.exec(c))
	case "cancel":
		r.session.chunk = ""
		r.Answer("", nil)
	case "end":
		mine := c.SwapChunk(r.session.chunk)
		r.tell("", c.End())
		r.session.chunk = c.SwapChunk(mine)
	case "complete":
		r.complete(c)
	case "secret":
		if c.Secret(r.Text) {
			r.Answer("yes", nil)
			return
		}
		r.Answer("no", nil)
	default:
		r.Answer("", fmt.Errorf("unknown request %s", console.Quote(r.Verb)))
	}
}

// exec runs a whole line.
func (r *Request) exec(c *console.Console) (string, error) {
	if may := r.session.user.May; may != nil {
		return c.ExecCommand(r.Text, may)
	}
	return c.Exec(r.Text)
}

// typed runs a line. Each client has its own unfinished chunk.
func (r *Request) typed(c *console.Console) {
	if r.session.user.May != nil {
		r.lineEnds(r.exec(c))
		return
	}
	mine := c.SwapChunk(r.session.chunk)
	out, more, err := c.Feed(r.Text)
	r.session.chunk = c.SwapChunk(mine)
	if more {
		r.end("more", out, "")
		return
	}
	r.lineEnds(out, err)
}

// printed is the output of a line with its error.
func printed(out string, err error) string {
	if err == nil {
		return out
	}
	return strings.TrimPrefix(out+"\nerror: "+err.Error(), "\n")
}

func (r *Request) complete(c *console.Console) {
	number, line, _ := strings.Cut(r.Text, " ")
	at, err := strconv.Atoi(number)
	if err != nil || at < 0 || at > len(line) {
		r.Answer("", fmt.Errorf("%s is not a position in the line", console.Quote(number)))
		return
	}
	candidates, start := r.candidates(c, line, at)
	r.Answer(strings.Join(append([]string{strconv.Itoa(start)}, candidates...), "\n"), nil)
}

func (r *Request) candidates(c *console.Console, line string, at int) ([]string, int) {
	if may := r.session.user.May; may != nil {
		return c.CompleteCommand(line, at, may)
	}
	return c.Complete(line, at)
}
