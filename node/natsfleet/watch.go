package natsfleet

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// An entry is a message of a stream.
type entry struct {
	subject string
	data    []byte
	seq     uint64
	pending uint64 // messages that follow it now
	header  nats.Header
}

// A watch reads the newest message of each subject, and then each new one, in order. NATS sends
// only what it was asked for, so a watch that is slow costs NATS the memory, not torc.
//
// The watch asks for all messages that NATS has, or for the first one that comes. Then it waits
// before it asks again: a message that NATS sends alone costs both several times what it costs
// among others.
type watch struct {
	keys
	nc      *nats.Conn
	filters []string
	alive   func() bool  // whether the connection still stands
	hurry   func() bool  // whether the next message must come at once; nil: never
	idle    func() error // called each 2 s in which NATS has nothing; nil: never

	inbox    string
	sub      *nats.Subscription
	answers  chan *nats.Msg
	pulls    int // questions for messages
	consumer string
	next     uint64    // number of the next message, from 1
	asked    int       // messages that can still come; 0: ask again
	question time.Time // when NATS was last asked
	ended    bool      // NATS had no more
	heard    time.Time
}

const (
	pullCount  = 256
	pullBytes  = 4 << 20
	pullTime   = 30 * time.Second
	pullEvery  = 40 * time.Millisecond
	beatEvery  = 2 * time.Second
	silentTime = 3 * beatEvery
	idleTime   = 15 * time.Second // NATS forgets a reader that has not asked for so long
)

var (
	errGap    = errors.New("a message is missing")
	errSilent = errors.New("NATS is silent")
	errEnded  = errors.New("the reader has ended")
)

// run calls take for each message, until an error. loaded is called if there is no message yet.
func (w *watch) run(ctx context.Context, loaded func() error, take func(entry) error) (err error) {
	w.inbox, w.answers = w.nc.NewInbox(), make(chan *nats.Msg, 2*pullCount)
	if w.sub, err = w.nc.ChanSubscribe(w.inbox+".*", w.answers); err != nil {
		return err
	}
	defer w.end()
	pending, err := w.create(ctx)
	if err != nil {
		return err
	}
	if pending == 0 {
		if err = loaded(); err != nil {
			return err
		}
	}
	w.heard = time.Now()
	for w.alive() {
		e, ok, err := w.read(ctx)
		if err == nil && ok {
			began := time.Now()
			err = take(e)
			w.heard = w.heard.Add(time.Since(began)) // take can wait for the loop
		}
		if err != nil {
			return err
		}
	}
	return errEnded
}

// create makes a reader in NATS and returns how many messages wait for it.
func (w *watch) create(ctx context.Context) (pending uint64, err error) {
	w.consumer = "torc" + strconv.FormatUint(draw(), 36)
	type config struct {
		Name     string        `json:"name"`
		Filters  []string      `json:"filter_subjects"`
		Deliver  string        `json:"deliver_policy"`
		Ack      string        `json:"ack_policy"`
		Most     int           `json:"max_deliver"`
		Replicas int           `json:"num_replicas"`
		Memory   bool          `json:"mem_storage"`
		Idle     time.Duration `json:"inactive_threshold"`
	}
	ask := struct {
		Stream string `json:"stream_name"`
		Config config `json:"config"`
	}{w.stream(), config{w.consumer, w.filters, "last_per_subject", "none", 1, 1, true, idleTime}}
	var answer struct {
		Pending uint64 `json:"num_pending"`
	}
	err = request(ctx, w.nc, "CONSUMER.CREATE."+w.stream()+"."+w.consumer, ask, &answer)
	w.next = 1
	return answer.Pending, err
}

// end tells NATS that nobody reads any more.
func (w *watch) end() {
	_ = w.sub.Unsubscribe()
	if w.consumer != "" {
		_ = w.nc.Publish("$JS.API.CONSUMER.DELETE."+w.stream()+"."+w.consumer, nil)
	}
}

// pull asks for messages.
func (w *watch) pull() error {
	ask := `{"no_wait":true,"batch":` + strconv.Itoa(pullCount) + `,"max_bytes":` + strconv.Itoa(pullBytes) +
		`,"expires":` + strconv.FormatInt(int64(pullTime), 10) + `,"idle_heartbeat":` + strconv.FormatInt(int64(beatEvery), 10) + `}`
	w.asked = pullCount
	w.pulls++
	w.question, w.ended = time.Now(), false
	w.heard = w.question
	return w.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+w.stream()+"."+w.consumer, w.reply(), []byte(ask))
}

// reply is the subject for answers to the newest question.
func (w *watch) reply() string { return w.inbox + "." + strconv.Itoa(w.pulls) }

// wait returns how long the watch waits for a message before it asks, or looks whether NATS lives.
func (w *watch) wait() time.Duration {
	switch {
	case w.asked > 0:
		return beatEvery
	case !w.ended, w.hurry != nil && w.hurry():
		return 0
	}
	return time.Until(w.question.Add(pullEvery))
}

// read returns the next message, if one comes soon.
func (w *watch) read(ctx context.Context) (e entry, ok bool, err error) {
	select {
	case m := <-w.answers:
		return w.answer(m)
	default:
	}
	wait := w.wait()
	if wait <= 0 {
		return e, false, w.pull()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case m := <-w.answers:
		return w.answer(m)
	case <-ctx.Done():
		return e, false, ctx.Err()
	case <-timer.C:
	}
	if w.asked > 0 && time.Since(w.heard) > silentTime {
		return e, false, errSilent
	}
	return e, false, nil
}

func (w *watch) answer(m *nats.Msg) (e entry, ok bool, err error) {
	w.heard = time.Now()
	status := m.Header.Get("Status")
	switch {
	case status == "":
		return w.entry(m)
	case m.Subject != w.reply():
		return e, false, nil // the end of an earlier question
	}
	return e, false, w.status(status, m.Header.Get("Description"))
}

// status hears what NATS says instead of a message.
func (w *watch) status(code, text string) error {
	switch {
	case code == "100" && w.idle != nil: // it lives
		return w.idle()
	case code == "100", code == "409" && w.asked == 0: // or all of the question has come
		return nil
	case code == "404", code == "408", code == "409" && strings.Contains(strings.ToLower(text), "maxbytes"):
		if code == "409" && w.asked == pullCount {
			return errForeign // one message is larger than all that may come
		}
		w.asked, w.ended = 0, code != "409"
		return nil
	}
	return errEnded
}

// entry reads the place of a message from the subject to which it could be acknowledged.
func (w *watch) entry(m *nats.Msg) (e entry, ok bool, err error) {
	seq, number, pending, err := parsePlace(m.Reply)
	switch {
	case err != nil:
		return e, false, err
	case number != w.next:
		return e, false, errGap
	}
	w.next++
	w.asked--
	return entry{subject: m.Subject, data: m.Data, seq: seq, pending: pending, header: m.Header}, true, nil
}

// parsePlace reads the number in the stream, the number for this reader, and how many follow.
func parsePlace(reply string) (seq, number, pending uint64, err error) {
	parts := strings.Split(reply, ".")
	if len(parts) < 9 || parts[0] != "$JS" || parts[1] != "ACK" {
		return 0, 0, 0, errForeign
	}
	if len(parts) >= 11 { // with a domain and an account
		parts = parts[2:]
	}
	seq, err = strconv.ParseUint(parts[5], 10, 64)
	if err == nil {
		number, err = strconv.ParseUint(parts[6], 10, 64)
	}
	if err == nil {
		pending, err = strconv.ParseUint(parts[8], 10, 64)
	}
	return seq, number, pending, err
}
