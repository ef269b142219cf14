package node

import "encoding/json"

// allocated is the setting of Allocated in a journal.
const allocated = "allocated "

// Allocated tells the mods, by onAllocated, that somebody has taken this server for a match:
// annotations is what they say about it. A server that ends tells nobody. Call it on the goroutine
// of Run.
func (s *Server) Allocated(annotations map[string]string) {
	if s.Ending() {
		return
	}
	text, err := json.Marshal(annotations)
	if err != nil {
		panic("BUG: " + err.Error()) // texts
	}
	s.Settings.set(allocated, string(text))
}
