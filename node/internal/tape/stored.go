package tape

import (
	"encoding/json"

	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/script/store"
)

// Store returns a store that records what it loads, and when its batches end.
func (r *Recorder) Store(own store.Store) store.Store { return &recordedStore{own, r} }

type recordedStore struct {
	store.Store
	to *Recorder
}

func (s *recordedStore) Load(mod string) (map[string][]byte, error) {
	values, err := s.Store.Load(mod)
	s.to.write(journal.Entry{Kind: journal.Loaded, Name: text(err), Data: encode(values)})
	return values, err
}

func (s *recordedStore) Usage() ([]store.Usage, error) {
	all, err := s.Store.Usage()
	s.to.write(journal.Entry{Kind: journal.Loaded, Name: text(err), Data: encode(all)})
	return all, err
}

func (s *recordedStore) Done() []store.Outcome {
	done := s.Store.Done()
	n := s.to.question(journal.Stored)
	if len(done) > 0 {
		s.to.write(journal.Entry{Kind: journal.Stored, Number: n, Data: encode(outcomes(done))})
	}
	return done
}

// outcome is the result of a batch.
type outcome struct {
	Batch uint64 `json:"batch"`
	Error string `json:"error,omitempty"`
}

func outcomes(done []store.Outcome) (list []outcome) {
	for _, o := range done {
		list = append(list, outcome{o.Batch, text(o.Err)})
	}
	return list
}

// Store returns a store that answers from the journal, and keeps nothing.
func (p *Player) Store(store.Store) store.Store { return &playedStore{from: p} }

type playedStore struct {
	from *Player
	last uint64
}

func (s *playedStore) Load(string) (values map[string][]byte, err error) {
	a := s.from.answer(journal.Loaded)
	if len(a.Data) > 0 {
		s.from.decode(a.Data, &values)
	}
	return values, textError(a.Name)
}

func (s *playedStore) Usage() (all []store.Usage, err error) {
	a := s.from.answer(journal.Loaded)
	if len(a.Data) > 0 {
		s.from.decode(a.Data, &all)
	}
	return all, textError(a.Name)
}

func (s *playedStore) Commit([]store.Write) uint64 {
	s.last++
	return s.last
}

func (s *playedStore) Done() (done []store.Outcome) {
	a, ok := s.from.numbered(journal.Stored)
	if !ok {
		return nil
	}
	var list []outcome
	s.from.decode(a.Data, &list)
	for _, o := range list {
		done = append(done, store.Outcome{Batch: o.Batch, Err: textError(o.Error)})
	}
	return done
}

// decode reads JSON of the journal.
func (p *Player) decode(b []byte, to any) {
	if err := json.Unmarshal(b, to); err != nil {
		p.diverge("an answer is damaged: " + err.Error())
	}
}
