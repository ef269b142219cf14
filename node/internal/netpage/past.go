package netpage

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

const (
	sampleTicks = 16  // between two samples: 512 ms
	maxSamples  = 600 // as many as the page keeps: five minutes
)

// past keeps what the graphs showed of the newest five minutes. Samples are numbered from 1.
type past struct {
	newest uint64 // the number of the newest sample
	kept   uint64 // samples in ring
	ring   [maxSamples]moment
}

// moment is a sample with all clients.
type moment struct {
	time    int64
	loop    Loop
	clients Clients
}

// add adds a sample of the present.
func (p *past) add(t *Taker) {
	p.newest++
	p.kept = min(p.kept+1, maxSamples)
	m := &p.ring[p.newest%maxSamples]
	t.Phases.Look() // the ticks until the next sample
	m.time = t.Now().Milliseconds()
	t.loop(&m.loop)
	m.loop.Phases = nil // each snapshot has the names
	m.clients = Clients{List: m.clients.List[:0], Bots: m.clients.Bots[:0]}
	t.clients(0, &m.clients)
}

// clear forgets all samples. Their numbers are not used again.
func (p *past) clear() { p.kept = 0 }

// since appends the samples after one, as the graphs of a client show them.
func (p *past) since(list []Sample, after uint64, client sim.ID) []Sample {
	for n := max(after, p.newest-p.kept) + 1; n <= p.newest; n++ {
		m := &p.ring[n%maxSamples]
		s := Sample{Time: m.time, Loop: m.loop}
		if i := slices.IndexFunc(m.clients.List, func(c Client) bool { return c.ID == uint32(client) }); i >= 0 {
			c := m.clients.List[i]
			s.Client = &c
		}
		list = append(list, s)
	}
	return list
}
