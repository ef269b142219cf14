package notify

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// AgonesPort is the environment variable with the port of the sidecar. Agones sets it.
const AgonesPort = "AGONES_SDK_HTTP_PORT"

const (
	healthTime = 2 * time.Second // Agones wants a sign in 5 s by default, and forgives two without
	countTime  = time.Second     // between two changes of the counter
	firstTry   = 200 * time.Millisecond
	lastTry    = 5 * time.Second // between two tries
	watchAgain = time.Second     // between two streams
	callTime   = 3 * time.Second // for an answer
	endTime    = 2 * time.Second // for the answer to the last call
	maxAnswer  = 1 << 20         // bytes of an answer, and of a line of the stream
	// warnAfter is how many calls in a row can fail before the log has it: the sidecar can start
	// later than the server.
	warnAfter = 5
	// agonesDrain is the drain of a server without --drain. Kubernetes ends a pod 30 s after
	// SIGTERM.
	agonesDrain = 20 * time.Second
)

// Agones tells Agones about a server in a Kubernetes cluster, over the REST interface of its SDK:
// that it is ready, that its loop runs, how many players it has, and that it ends. It hears of
// allocations. Its methods are for the goroutine of the loop. nil is no Agones.
//
// The loop only begins calls, one at a time, and takes their results in a later round. So a sidecar
// that is late, slow or gone stops nothing, and a loop that stands still gives no sign of life.
type Agones struct {
	log       *slog.Logger
	base      string
	client    http.Client
	run       func(func()) // on another goroutine
	sleep     func(ctx context.Context, d time.Duration)
	allocated func(annotations map[string]string)
	ctx       context.Context
	stop      context.CancelFunc

	wanted bool // the server is ready
	known  bool // the sidecar has described it
	ready  bool // Agones knows that it is ready
	busy   bool // a call is under way
	due    netcore.Time
	wait   time.Duration // after the next failed try
	health netcore.Time  // when the next sign of life is due
	count  counter
	fails  int // calls in a row
	warned bool
	last   allocation

	watches bool // a stream is open
	again   netcore.Time

	mu     sync.Mutex
	over   func(now netcore.Time) // takes the result of the call
	news   *gameServer            // the newest, until the loop takes it
	closed bool                   // the stream has ended
}

// counter is the counter players of Agones.
type counter struct {
	due         netcore.Time
	count, most int // as last told
	none        bool
}

// gameServer is what the sidecar says about a server.
type gameServer struct {
	Meta struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"object_meta"`
	Status struct {
		State   string `json:"state"`
		Address string `json:"address"`
		Ports   []struct {
			Name string `json:"name"`
			Port uint16 `json:"port"`
		} `json:"ports"`
	} `json:"status"`
}

// NewAgones returns the Agones that has started this process, or nil. allocated gets the
// annotations of the server when somebody has allocated it, in a round.
func NewAgones(log *slog.Logger, allocated func(annotations map[string]string)) (*Agones, error) {
	text := os.Getenv(AgonesPort)
	if text == "" {
		return nil, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return nil, fmt.Errorf("%s = %q: must be a port, 1…65535", AgonesPort, text)
	}
	a := &Agones{
		log: log, base: "http://" + net.JoinHostPort("127.0.0.1", text), allocated: allocated, wait: firstTry, run: func(f func()) { go f() },
		sleep: sleep, count: counter{count: -1},
	}
	a.client.Transport = &http.Transport{} // never through a proxy of the environment
	a.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	a.ctx, a.stop = context.WithCancel(context.Background())
	return a, nil
}

// Drain is how long a server drains at SIGTERM if the operator has not said it; 0 without Agones.
func (a *Agones) Drain() time.Duration {
	if a == nil {
		return 0
	}
	return agonesDrain
}

// Ready says that the server accepts players. Agones hears of it in the next rounds.
func (a *Agones) Ready() {
	if a != nil {
		a.wanted = true
	}
}

// Round makes the call that is due. players returns how many players the server has, and how many
// it can have. It must run on the goroutine of the loop.
func (a *Agones) Round(now netcore.Time, players func() (count, most int)) {
	if a == nil || !a.wanted {
		return
	}
	a.take(now)
	if a.busy {
		return
	}
	switch {
	case !a.ready && now >= a.due:
		a.begin()
	case a.ready && now >= a.health:
		a.health = now + healthTime
		a.call("POST", "/health", struct{}{}, a.tried)
	case a.ready && now >= a.count.due && !a.count.none:
		a.count.due = now + countTime
		a.tell(players())
	}
	if a.ready && !a.watches && now >= a.again {
		a.watches = true
		a.run(a.watch)
	}
}

// take takes what the other goroutines have left.
func (a *Agones) take(now netcore.Time) {
	a.mu.Lock()
	over, news, closed := a.over, a.news, a.closed
	a.over, a.news, a.closed = nil, nil, false
	a.mu.Unlock()
	if closed {
		a.watches, a.again = false, now+watchAgain
	}
	if over != nil {
		a.busy = false
		over(now)
	}
	if news != nil {
		a.hear(news)
	}
}

// begin asks for the state of the server, and then says that it is ready. One that starts again
// while it is allocated stays that: its players come back.
func (a *Agones) begin() {
	if !a.known {
		a.call("GET", "/gameserver", nil, a.described)
		return
	}
	a.call("POST", "/ready", struct{}{}, func(now netcore.Time, answer []byte, err error) {
		if a.ready = err == nil; a.ready {
			a.log.Info("Agones knows that the server is ready")
		}
		a.tried(now, answer, err)
	})
}

// described takes the description of the server.
func (a *Agones) described(now netcore.Time, answer []byte, err error) {
	var g gameServer
	if err == nil {
		err = json.Unmarshal(answer, &g)
	}
	if err == nil {
		a.known, a.ready = true, g.Status.State == allocatedState || g.Status.State == "Reserved"
		a.hear(&g)
	}
	a.tried(now, nil, err)
}

// tell sets the counter.
func (a *Agones) tell(count, most int) {
	if count == a.count.count && most == a.count.most {
		return
	}
	body := map[string]string{"count": strconv.Itoa(count), "capacity": strconv.Itoa(max(count, most))}
	a.call("PATCH", "/v1beta1/counters/players", body, func(now netcore.Time, answer []byte, err error) {
		var status statusError
		if errors.As(err, &status) && (status == http.StatusNotFound || status == http.StatusNotImplemented) {
			a.log.Info("Agones has no counter players for this server, so it is not told how many players there are")
			a.count.none, err = true, nil
		}
		if err == nil {
			a.count.count, a.count.most = count, most
		}
		a.tried(now, answer, err)
	})
}

// tried notes how a call has ended.
func (a *Agones) tried(now netcore.Time, _ []byte, err error) {
	if err == nil {
		if a.warned {
			a.log.Info("the sidecar of Agones answers again")
		}
		a.fails, a.warned, a.due, a.wait = 0, false, now, firstTry
		return
	}
	a.due, a.wait = now+a.wait, min(2*a.wait, lastTry)
	if a.fails++; a.fails == warnAfter {
		a.warned = true
		a.log.Warn("the sidecar of Agones does not answer: the game goes on", "why", err)
	}
}

// Restarting ends the calls of a process that replaces itself. The new one is ready later.
func (a *Agones) Restarting() {
	if a != nil {
		a.stop()
	}
}

// Stopping says that the server ends, and waits for the answer, at most 2 s. Agones then removes
// the pod.
func (a *Agones) Stopping() {
	if a == nil {
		return
	}
	a.stop()
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if _, err := a.request(ctx, "POST", "/shutdown", struct{}{}); err != nil {
		a.log.Warn("Agones is not told that the server ends", "why", err)
	}
}

// call makes a call on another goroutine. then takes its result in a later round.
func (a *Agones) call(method, path string, body any, then func(now netcore.Time, answer []byte, err error)) {
	a.busy = true
	a.run(func() {
		ctx, cancel := context.WithTimeout(a.ctx, callTime)
		defer cancel()
		answer, err := a.request(ctx, method, path, body)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.over = func(now netcore.Time) { then(now, answer, err) }
	})
}

// statusError is an answer with another status than 200.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// request makes a call and returns the answer.
func (a *Agones) request(ctx context.Context, method, path string, body any) ([]byte, error) {
	r, err := a.open(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(io.LimitReader(r.Body, maxAnswer))
}

// open makes a call. A call that is no GET has a body: without one, the SDK answers with an error.
func (a *Agones) open(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var b []byte
	if body != nil {
		b, _ = json.Marshal(body) // maps of texts, and empty structs
	}
	q, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", "application/json")
	r, err := a.client.Do(q)
	if err != nil {
		return nil, err
	}
	if r.StatusCode != http.StatusOK {
		_ = r.Body.Close()
		return nil, fmt.Errorf("%s %s: %w", method, path, statusError(r.StatusCode))
	}
	return r, nil
}

// watch reads the stream of changes until it ends, and keeps the newest.
func (a *Agones) watch() {
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.closed = true
	}()
	r, err := a.open(a.ctx, "GET", "/watch/gameserver", nil)
	if err != nil {
		return // the calls tell the operator
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		var line struct{ Result *gameServer }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Result == nil {
			return
		}
		a.mu.Lock()
		a.news = line.Result
		a.mu.Unlock()
	}
}
