//go:build !js

package node

import (
	"errors"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/remote"
)

// linesTime is the part of a tick in which lines of other processes can start.
const linesTime = 8 * time.Millisecond

var errEnding = errors.New("the server is ending")

// requestQueue holds the requests of other processes to the console. Lines wait for the tick.
type requestQueue struct {
	owner   *core.Owner
	server  *remote.Listener
	console *console.Console
	backup  func(name string, done func(path string, err error))
	waiting []*remote.Request
	running bool            // the current line came from another process
	current *remote.Request // nil if not running
	user    remote.User     // who typed the current line
}

// openRequests accepts requests. Other processes of the same user can send them when listen has
// opened the socket.
func openRequests(o *core.Owner, c *console.Console, backup func(string, func(string, error))) *requestQueue {
	q := &requestQueue{owner: o, server: remote.New(), console: c, backup: backup}
	o.AddOutput(q.server.Print)
	o.Before(q.run)
	go core.Forward(o.Posts, q.server.Requests(), q.add, func(r *remote.Request) { r.Answer("", errEnding) })
	return q
}

// listen opens the socket.
func (q *requestQueue) listen(path string) error { return q.server.Listen(path) }

// by returns who typed the current line, for the audit log.
func (q *requestQueue) by() string {
	if q == nil || q.user.Name == "" {
		return "console"
	}
	return q.user.Name
}

// later returns the function that answers the current line when the work of a command is done; nil if
// the line did not come from another process.
func (q *requestQueue) later() func(out string, err error) {
	if q == nil || q.current == nil {
		return nil
	}
	return q.current.Later()
}

// add queues a request. A backup starts at once and answers by itself.
func (q *requestQueue) add(r *remote.Request) {
	switch {
	case q.owner.Ending():
		r.Answer("", errEnding)
	case r.Verb == remote.Backup:
		q.backup(r.Text, r.Answer)
	default:
		q.waiting = append(q.waiting, r)
	}
}

// run runs waiting lines, as many as fit into a part of a tick.
func (q *requestQueue) run() {
	o := q.owner
	for start := o.Now(); o.Ready && !o.Ending() && len(q.waiting) > 0 && o.Now()-start < linesTime; {
		r := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.running, q.current, q.user = true, r, r.User()
		r.Run(q.console)
		q.running, q.current, q.user = false, nil, remote.User{}
	}
}

// debug lets clients debug mods.
func (q *requestQueue) debug(d *debugging) { go d.serve(q.server.Debugs()) }

func (q *requestQueue) close() error { return q.server.Close() }
