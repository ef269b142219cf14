package attach

import (
	"errors"
	"fmt"
	"time"

	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/remote"
	"github.com/torc-engine/torc/script/debug"
)

var errNoDebugger = errors.New("this connection is no debugger")

// maxSilence is how long a debugger can be silent while a script stands still.
const maxSilence = 3 * remote.BeatTime

// debugging is the debugger of a server's mods. There is one at a time.
type debugging struct {
	core    *core.Core
	client  *remote.Request // began the session
	session *debug.Session  // nil: there is none
	mod     string
	heard   time.Duration // when the client gave the newest sign of life
	silence time.Duration // maxSilence, except in tests
}

// serve passes on the requests of debuggers until the node ends.
func (d *debugging) serve(requests <-chan *remote.Request) {
	for {
		select {
		case r := <-requests:
			if !d.core.Hurry(func() { d.handle(r) }) {
				r.Answer("", errEnding)
			}
		case <-d.core.Gone:
			return
		}
	}
}

// handle carries out a request.
func (d *debugging) handle(r *remote.Request) {
	mine := d.session != nil && d.client.SameClient(r)
	if mine {
		d.heard = d.core.Now()
	}
	switch {
	case r.Verb == remote.Debug:
		r.Answer("", d.begin(r))
		return
	case r.Verb == remote.Gone && mine:
		d.end()
	case r.Verb == remote.Message && !mine:
		r.Answer("", errNoDebugger)
		return
	case r.Verb == remote.Message:
		if err := d.session.Handle([]byte(r.Text)); err != nil {
			r.Answer("", err)
			d.end()
			return
		}
		if d.session.Over() {
			d.end()
		}
	}
	r.Answer("", nil)
}

// begin makes a client the debugger of a mod.
func (d *debugging) begin(r *remote.Request) (err error) {
	switch {
	case d.core.Ending():
		return errEnding
	case d.session != nil:
		return fmt.Errorf("a debugger is attached already, to the mod %s: there can be one", d.mod)
	}
	d.client, d.mod, d.heard = r, r.Text, d.core.Now()
	d.session, err = debug.Attach(debug.Config{Runtime: d.core.Side.Scripts.Runtime, Mod: r.Text, Stand: d.stand, Send: r.Push})
	d.core.Record("console", "mod debug "+r.Text, err)
	if err != nil {
		d.session = nil
		return err
	}
	d.core.Side.Rec.Stop("a debugger is attached, and its stops cannot run again")
	d.core.Log.Info("a debugger is attached", "mod", d.mod)
	return nil
}

// end ends the session. The server goes on.
func (d *debugging) end() {
	if d.session != nil {
		d.session.End()
		d.session = nil
		d.core.Log.Info("the debugger is gone", "mod", d.mod)
	}
}

// stand stands still in the middle of a script until the client lets it go on, or is gone.
func (d *debugging) stand() {
	session := d.session
	d.core.Loop.StandStill(func(ending bool) bool {
		if ending || d.core.Now()-d.heard > d.silence {
			d.end()
		}
		return session.Running()
	})
}
