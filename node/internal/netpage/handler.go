package netpage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

const (
	keyHeader    = "Torc-Net-Key" // has the key; empty from the same machine
	maxPages     = 4              // open at a time
	interval     = 500 * time.Millisecond
	detailsEvery = 4                // snapshots
	writeTime    = 10 * time.Second // for a page to take a snapshot
)

// These values say who can open the page.
const (
	Nobody = iota
	WithKey
	WithKeyOrLocal // also browsers on the same machine
)

// Handler streams the snapshots of a Source to pages. The caller has checked Host.
type Handler struct {
	Source Source
	Access *Access
	Allows func() int                                // Nobody, WithKey or WithKeyOrLocal
	Local  func(r *http.Request) bool                // the request comes directly from a browser on the same machine
	From   func(r *http.Request) (netip.Addr, error) // the address of the browser, for the limit of wrong keys
	Note   func(from netip.Addr, did string)         // a page was opened, or sent a wrong key
	Now    func() time.Duration

	notes notes
	open  openPages
	due   func() (due <-chan time.Time, stop func()) // when a page gets its next snapshot; nil: every interval
}

// ServeHTTP sends frames until the page ends, or says why it does not.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	from, err := h.From(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key := h.Access.Key() // before the check: a page admitted by an older key ends
	local, status, err := h.refuses(r, from)
	if err != nil {
		http.Error(w, err.Error(), status)
		return
	}
	want, steer, err := wanted(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx, leave, ok := h.open.enter(r.Context(), network(from))
	defer leave()
	if !ok {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many net pages are open", http.StatusServiceUnavailable)
		return
	}
	if h.notes.isNew(from, h.Now()) {
		h.Note(from, "opened the net page")
	}
	allowed := func() bool {
		who := h.Allows()
		return who == WithKeyOrLocal || who == WithKey && !local
	}
	h.stream(w, ctx, want, steer, func() bool { return allowed() && h.Access.Key() == key })
}

// refuses returns why a request must not get snapshots, and whether it needs no key. The header
// that only a script of the same site can send keeps other sites out, also on the same machine.
func (h *Handler) refuses(r *http.Request, from netip.Addr) (local bool, status int, err error) {
	keys := r.Header.Values(keyHeader)
	switch {
	case r.Method != http.MethodGet:
		return false, http.StatusMethodNotAllowed, errors.New("only GET")
	case h.Allows() == Nobody:
		return false, http.StatusForbidden, errors.New("the net page is off: sv.netPage")
	case len(keys) != 1:
		return false, http.StatusForbidden, errors.New("the header " + keyHeader + " is missing")
	case h.Allows() == WithKeyOrLocal && h.Local(r):
		return true, 0, nil
	}
	switch err := h.Access.check(from, keys[0], h.Now()); err {
	case nil:
		return false, 0, nil
	case errTooMany:
		return false, http.StatusTooManyRequests, err
	case errWrongKey:
		if h.notes.mayWarn(h.Now()) {
			h.Note(from, "sent a wrong key to the net page")
		}
		return false, http.StatusForbidden, err
	default:
		return false, http.StatusUnauthorized, err
	}
}

// wanted reads the parameters of a request.
func wanted(r *http.Request) (w Want, s Steering, err error) {
	q := r.URL.Query()
	if text := q.Get("client"); text != "" {
		id, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return w, s, errors.New("client must be the id of a client")
		}
		w.Client = sim.ID(id)
	}
	if text := q.Get("at"); text != "" {
		if s.Tick, err = strconv.ParseUint(text, 10, 64); err != nil {
			return w, s, errors.New("at must be a tick")
		}
		s.Seeks = true
	}
	if text := q.Get("speed"); text != "" {
		if s.Speed, err = strconv.ParseFloat(text, 64); err != nil || !(s.Speed >= 0 && s.Speed <= MaxSpeed) {
			return w, s, fmt.Errorf("speed must be 0…%d", MaxSpeed)
		}
		s.Paces = true
	}
	return w, s, nil
}

// stream sends frames, two per second, as long as the page takes them and may have them.
func (h *Handler) stream(w http.ResponseWriter, ctx context.Context, want Want, steer Steering, allowed func() bool) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{}) // the page sends nothing more, and its end must be noticed
	if line, ok := h.Source.(Timeline); ok && steer != (Steering{}) {
		if err := line.Steer(ctx, steer); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold frames back
	due, stop := h.ticker()
	defer stop()
	var s Snapshot
	var frame []byte
	seeking := false
	for n := 0; allowed(); n++ {
		want.Details = n%detailsEvery == 0 || seeking
		if h.Source.Take(ctx, want, &s) != nil {
			return
		}
		if s.Course != nil {
			want.After, seeking = s.Course.Newest, s.Course.Goal != s.Course.Tick
		}
		var err error
		if frame, err = appendFrame(frame[:0], &s); err != nil {
			return
		}
		_ = rc.SetWriteDeadline(time.Now().Add(writeTime))
		if _, err := w.Write(frame); err != nil || rc.Flush() != nil {
			return
		}
		select {
		case <-due:
		case <-ctx.Done():
			return
		}
	}
}

// ticker returns when a page gets its next snapshot.
func (h *Handler) ticker() (due <-chan time.Time, stop func()) {
	if h.due != nil {
		return h.due()
	}
	t := time.NewTicker(interval)
	return t.C, t.Stop
}
