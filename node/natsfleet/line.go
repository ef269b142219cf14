package natsfleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// line is the state of the connection. Each connection has a number: what was learned over an
// earlier one is learned again.
type line struct {
	bus *fleetBus

	mu      sync.Mutex
	up      bool
	number  uint64            // of the connection
	changed chan struct{}     // closed when up or number change
	said    map[string]string // the newest warning of each subject
	sync    string
	denied  map[string]chan struct{} // by the beginning of subjects: closed by a refusal of NATS
	silent  time.Time                // since when this connection answers nothing; zero: it does
	moves   time.Duration            // how long it may be silent
}

func newLine(b *fleetBus) *line {
	return &line{bus: b, changed: make(chan struct{}), said: map[string]string{}, denied: map[string]chan struct{}{}, moves: moveAfter}
}

// connect begins to connect, for ever.
func (b *fleetBus) connect() (err error) {
	l := b.line
	list := append(b.config.options(b.name),
		nats.ConnectHandler(func(*nats.Conn) { l.set(true) }),
		nats.ReconnectHandler(func(*nats.Conn) { l.set(true) }),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { l.set(false) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { l.failed(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { l.failed(err) }),
	)
	if b.nc, err = nats.Connect(strings.Join(b.config.URLs, ","), list...); err != nil {
		return fmt.Errorf("the fleet: %w", err)
	}
	return nil
}

// set notes that the connection has come or gone.
func (l *line) set(up bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if up {
		l.number++
		delete(l.said, "line")
	}
	l.up, l.silent = up, time.Time{}
	close(l.changed)
	l.changed = make(chan struct{})
	l.bus.in.line(bus.Line{Up: l.up, Sync: l.sync})
}

// state returns the number of the connection, and what is closed when that changes.
func (l *line) state() (number uint64, up bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.number, l.up, l.changed
}

// moveAfter is how long a node answers nothing before a server tries another one. An election takes
// less, mostly.
const moveAfter = 10 * time.Second

// answered hears whether JetStream has answered a request that was made at a time. The node of a
// connection can live and have lost the other nodes: then it answers nothing, and another one does.
func (l *line) answered(asked time.Time, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case is:
		l.silent, l.moves = time.Time{}, moveAfter
	case l.silent.IsZero():
		l.silent = asked
	}
}

// leave goes to another node if this one has been silent for too long, and stays there twice as
// long: a fleet without a majority of its nodes has no better one.
func (l *line) leave(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.bus.config.URLs) > 1 && !l.silent.IsZero() && now.Sub(l.silent) >= l.moves {
		l.silent, l.moves = time.Time{}, 2*l.moves
		go func() { _ = l.bus.nc.ForceReconnect() }()
	}
}

// wait waits until the line is up, and reports whether it is before the end of ctx.
func (l *line) wait(ctx context.Context) bool {
	for ctx.Err() == nil {
		_, up, changed := l.state()
		if up {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return false
}

// on reports whether a connection still stands.
func (l *line) on(number uint64) bool {
	n, up, _ := l.state()
	return up && n == number
}

// absent says that NATS does not answer at the start.
func (l *line) absent() {
	if why := l.bus.nc.LastError(); errors.Is(why, nats.ErrAuthorization) {
		l.failed(why)
		return
	}
	l.bus.warn("line", "no NATS server of the fleet answers: this server plays on alone, and tries again")
}

// failed hears an error of the connection.
func (l *line) failed(err error) {
	switch text := err.Error(); {
	case errors.Is(err, nats.ErrPermissionViolation):
		l.refused(text)
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		l.bus.warn("line", "NATS refuses the credentials of this server (--fleet, --fleet-creds)")
	case strings.Contains(text, "x509:"), strings.Contains(text, "tls:"):
		l.bus.warn("line", "the connection to the fleet is not secure: "+clean(text))
	}
}

// refused ends what waits for the subject of a refusal.
func (l *line) refused(text string) {
	_, rest, _ := strings.Cut(text, `"`)
	subject, _, _ := strings.Cut(rest, `"`)
	l.mu.Lock()
	defer l.mu.Unlock()
	for begin, c := range l.denied {
		if strings.HasPrefix(subject, begin) {
			close(c)
			delete(l.denied, begin)
		}
	}
}

// watchRefusal returns what is closed when NATS refuses to take a message on a subject that begins
// so.
func (l *line) watchRefusal(begin string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := make(chan struct{})
	l.denied[begin] = c
	return c
}

// warn tells the operator a sentence, unless the last one on the subject was the same.
func (b *fleetBus) warn(subject, text string) {
	l := b.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.said[subject] == text {
		return
	}
	l.said[subject] = text
	b.in.line(bus.Line{Up: l.up, Warn: text, Sync: l.sync})
}

// mended lets the next warning on a subject through.
func (b *fleetBus) mended(subject string) {
	b.line.mu.Lock()
	defer b.line.mu.Unlock()
	delete(b.line.said, subject)
}

// maxClean is the longest part of a text of a stranger that the operator sees, in bytes.
const maxClean = 200

// clean cuts a text of a stranger to one printable line.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	return cut(text, maxClean)
}

// run asks each connection how durable the values are.
func (l *line) run() {
	seen := uint64(0)
	for l.wait(l.bus.ctx) {
		number, _, changed := l.state()
		if number != seen {
			seen = number
			l.learn(l.durability())
		}
		select {
		case <-changed:
		case <-l.bus.ctx.Done():
			return
		}
	}
}

func (l *line) learn(sync string) {
	l.mu.Lock()
	if l.sync != sync {
		l.sync = sync
		l.bus.in.line(bus.Line{Up: l.up, Sync: sync})
	}
	l.mu.Unlock()
	if sync != "" && sync != always {
		l.bus.warn("sync", "NATS syncs values to its disks only each "+sync+
			": a power failure loses acknowledged values. Set sync_interval: always in its jetstream block")
	}
}

const (
	always     = "always"
	maxServers = 64      // NATS servers that are asked
	maxVarz    = 1 << 18 // bytes of an answer of one
	varzTime   = time.Second
)

// durability returns the worst sync_interval of the servers that answer; "" if none does.
func (l *line) durability() (worst string) {
	nc := l.bus.nc
	sub, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return ""
	}
	defer func() { _ = sub.Unsubscribe() }()
	if nc.PublishRequest("$SYS.REQ.SERVER.PING.VARZ", sub.Subject, nil) != nil {
		return ""
	}
	longest := time.Duration(-1)
	until := time.Now().Add(varzTime)
	for range maxServers {
		m, err := sub.NextMsg(time.Until(until))
		if err != nil {
			break
		}
		if every, ok := syncInterval(m.Data); ok && every > longest {
			longest = every
		}
	}
	switch longest {
	case -1:
		return ""
	case 0:
		return always
	}
	return longest.String()
}

// syncInterval reads the settings of a NATS server: 0 for always.
func syncInterval(b []byte) (every time.Duration, ok bool) {
	var answer struct {
		Data struct {
			JetStream struct {
				Config struct {
					Always bool          `json:"sync_always"`
					Every  time.Duration `json:"sync_interval"`
				} `json:"config"`
			} `json:"jetstream"`
		} `json:"data"`
	}
	if len(b) > maxVarz || json.Unmarshal(b, &answer) != nil {
		return 0, false
	}
	c := answer.Data.JetStream.Config
	if c.Always {
		return 0, true
	}
	return c.Every, c.Every > 0
}
