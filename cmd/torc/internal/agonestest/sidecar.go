package agonestest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// A Sidecar is the handler of an SDK server. Any goroutine can call its methods.
type Sidecar struct {
	mu      sync.Mutex
	calls   []string
	state   string
	notes   map[string]string // annotations
	count   map[string][2]int // counters: count, capacity
	changed chan struct{}     // is closed by the next change
}

// New returns the sidecar of a server that has just started. counters are those of its
// configuration.
func New(counters ...string) *Sidecar {
	s := &Sidecar{state: "Scheduled", notes: map[string]string{}, count: map[string][2]int{}, changed: make(chan struct{})}
	for _, name := range counters {
		s.count[name] = [2]int{}
	}
	return s
}

// Calls returns the calls so far, without repetitions of one in a row, such as POST /health.
func (s *Sidecar) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Compact(slices.Clone(s.calls))
}

// Count returns how often a call was made.
func (s *Sidecar) Count(call string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c == call {
			n++
		}
	}
	return n
}

// State returns the state of the server.
func (s *Sidecar) State() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Counter returns count and capacity of a counter.
func (s *Sidecar) Counter(name string) (count, capacity int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := s.count[name]
	return is[0], is[1]
}

// Allocate allocates the server, as an allocation of the cluster does.
func (s *Sidecar) Allocate(at string, annotations map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.notes, annotations)
	s.notes["agones.dev/last-allocated"] = at
	s.become("Allocated")
}

// become changes the state, and tells those who watch.
func (s *Sidecar) become(state string) {
	s.state = state
	close(s.changed)
	s.changed = make(chan struct{})
}

// ServeHTTP answers a call of the SDK.
func (s *Sidecar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + r.URL.Path
	s.mu.Lock()
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	var body map[string]string
	if r.Method != http.MethodGet && json.NewDecoder(r.Body).Decode(&body) != nil {
		http.Error(w, `{"code":3,"message":"EOF"}`, http.StatusBadRequest)
		return
	}
	switch call {
	case "GET /gameserver":
		_ = json.NewEncoder(w).Encode(s.game())
	case "GET /watch/gameserver":
		s.watch(w, r)
	case "POST /ready":
		s.to(w, "Ready")
	case "POST /shutdown":
		s.to(w, "Shutdown")
	case "POST /health":
		_, _ = w.Write([]byte("{}"))
	case "PATCH /v1beta1/counters/players":
		s.counted(w, "players", body)
	default:
		http.NotFound(w, r)
	}
}

func (s *Sidecar) to(w http.ResponseWriter, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.become(state)
	_, _ = w.Write([]byte("{}"))
}

// game returns the server as the SDK describes it.
func (s *Sidecar) game() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{
		"object_meta": map[string]any{"name": "torc-x7k2p", "creation_timestamp": "1800000000", "annotations": maps.Clone(s.notes)},
		"status":      map[string]any{"state": s.state, "address": "203.0.113.7", "ports": []map[string]any{{"name": "page", "port": 7100}, {"name": "game", "port": 7101}}},
	}
}

// watch streams the server, now and at each change.
func (s *Sidecar) watch(w http.ResponseWriter, r *http.Request) {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]any{"result": s.game()})
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// counted sets a counter.
func (s *Sidecar) counted(w http.ResponseWriter, name string, body map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count, err := strconv.Atoi(body["count"])
	capacity, err2 := strconv.Atoi(body["capacity"])
	switch _, known := s.count[name]; {
	case !known:
		http.Error(w, `{"code":5,"message":"counter not found"}`, http.StatusNotFound)
	case err != nil || err2 != nil || count < 0 || count > capacity:
		http.Error(w, `{"code":11,"message":"out of range"}`, http.StatusBadRequest)
	default:
		s.count[name] = [2]int{count, capacity}
		_, _ = w.Write([]byte("{}"))
	}
}
