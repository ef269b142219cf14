package nodetest

import (
	"math/rand/v2"

	"github.com/torc-engine/torc/netcore"
)

// hostile is somebody on the network who sees all datagrams and can send any, from any address.
type hostile struct {
	kind     string // noise, replay, mutate or flood
	random   *rand.Rand
	captured []capture
	next     int
}

type capture struct {
	from, to netcore.Addr
	data     []byte
}

// memory is how many datagrams an attacker keeps.
const memory = 512

func newHostile(s *system, kind string) *hostile {
	return &hostile{kind: kind, random: rand.New(rand.NewPCG(s.Seed, 0x6576696c))}
}

// capture keeps a datagram.
func (h *hostile) capture(from, to netcore.Addr, d []byte) {
	if h.random.IntN(4) > 0 {
		return
	}
	c := capture{from, to, append([]byte(nil), d...)}
	if len(h.captured) < memory {
		h.captured = append(h.captured, c)
		return
	}
	h.captured[h.next] = c
	h.next = (h.next + 1) % memory
}

// act sends what the attacker sends in a step.
func (h *hostile) act(s *system) {
	n := h.random.IntN(3)
	if h.kind == "flood" {
		n = 12
	}
	for range n {
		switch kind := h.kind; {
		case kind == "noise" || len(h.captured) == 0:
			h.send(s, h.stranger(), serverAddr, h.noise())
		case kind == "flood" && h.random.IntN(2) == 0:
			h.send(s, h.stranger(), serverAddr, h.damaged(h.any().data, 1))
		default:
			c := h.any()
			if kind == "mutate" {
				c.data = h.damaged(c.data, 1+h.random.IntN(4))
			}
			if h.random.IntN(3) == 0 {
				c.from = h.stranger()
			}
			h.send(s, c.from, c.to, c.data)
		}
	}
}

// send puts a datagram in front of its receiver, past all lines.
func (h *hostile) send(s *system, from, to netcore.Addr, d []byte) {
	if to == serverAddr {
		s.server.Receive(s.net.Now(), from, d)
		return
	}
	for _, p := range s.players {
		if p.addr == to {
			p.Receive(s.net.Now(), from, d)
		}
	}
}

func (h *hostile) any() capture { return h.captured[h.random.IntN(len(h.captured))] }

// stranger returns one of the attacker's own addresses.
func (h *hostile) stranger() netcore.Addr { return address(200+h.random.IntN(20), h.random.IntN(200)) }

func (h *hostile) noise() []byte {
	d := make([]byte, h.random.IntN(1500))
	for i := range d {
		d[i] = byte(h.random.Uint32())
	}
	return d
}

// damaged returns a copy with n changes: flipped bits, cut or added bytes.
func (h *hostile) damaged(d []byte, n int) []byte {
	d = append([]byte(nil), d...)
	for range n {
		switch {
		case len(d) > 1 && h.random.IntN(8) == 0:
			d = d[:h.random.IntN(len(d))]
		case h.random.IntN(8) == 0:
			d = append(d, byte(h.random.Uint32()))
		case len(d) > 0:
			d[h.random.IntN(len(d))] ^= 1 << h.random.IntN(8)
		}
	}
	return d
}
