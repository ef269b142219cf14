package netcore

import (
	"encoding/binary"

	"github.com/torc-engine/torc/netcore/seal"
)

// The client's half of the handshake, as far as it needs the Endpoint.

// handleChallengeResponse handles the response to this side's challenge request.
func (e *Endpoint) handleChallengeResponse(now Time, from Addr, b []byte) {
	puzzle, key, ok := parseChallengeResponse(b)
	p := e.pendingTo(from)
	if !ok || p == nil || p.puzzle.Nonce != puzzle.Nonce {
		return
	}
	solve, end := p.handleChallenge(now, from, puzzle, key)
	switch {
	case end != nil:
		e.fail(p, *end)
	case !solve:
	case puzzle.Difficulty == 0:
		e.request(now, p, 0)
	case e.cfg.Solve != nil:
		e.cfg.Solve(puzzle, func(solution uint64) {
			if p.stage == solving && p.puzzle == puzzle && !p.over {
				e.request(now, p, solution)
			}
		})
	}
}

// request begins the key exchange of an attempt.
func (e *Endpoint) request(now Time, p *Pending, solution uint64) {
	if r := p.request(now, e.cfg.Identity, solution); r != nil {
		e.fail(p, *r)
	}
}

// solve does a part of the work of the puzzles, unless Config.Solve does it.
func (e *Endpoint) solve(now Time) {
	if e.cfg.Solve != nil {
		return
	}
	for _, p := range e.pending {
		if p.stage != solving || p.over {
			continue
		}
		if solution, found := p.search(); found {
			e.request(now, p, solution)
		}
	}
}

// answered returns the attempt in a stage that an answer belongs to, and the answer without its
// head. It returns nil for an answer that is malformed or belongs to no attempt.
func (e *Endpoint) answered(from Addr, b []byte, kind byte, least int, stage connectStage) (p *Pending, rest []byte) {
	nonce, rest, ok := parseNonceHead(b, kind, least)
	p = e.pendingTo(from)
	if !ok || p == nil || p.puzzle.Nonce != nonce || p.stage != stage {
		return nil, nil
	}
	return p, rest
}

// handleConnectReply handles the reply to this side's connect request. It ignores a reply that is
// not authentic, because the authentic one can still arrive.
func (e *Endpoint) handleConnectReply(now Time, from Addr, b []byte) {
	p, second := e.answered(from, b, packetConnectReply, seal.SecondOverhead, requesting)
	if p == nil {
		return
	}
	p.initiator.Reveal = e.reveal(from)
	payload, session, err := p.initiator.Read(second)
	if err != nil {
		return
	}
	v, err := unpackGreetingVerdict(payload)
	switch {
	case err != nil:
		e.fail(p, Reason{Code: BadPacket, Text: err.Error()})
	case !v.Accepted:
		e.fail(p, Reason{Code: Refused, Text: plainText(v.Refusal)})
	case v.Other && (e.cfg.Parts == nil || !e.cfg.Adapts):
		e.fail(p, Reason{Code: Refused, Text: unequalLists})
	default:
		if v.Other {
			p.player.Other, p.player.Parts = true, e.cfg.Parts()
		}
		if r := p.introduce(now, session); r != nil {
			e.fail(p, *r)
		}
	}
}

// handleVerdict handles the verdict on this side's introduction.
func (e *Endpoint) handleVerdict(now Time, from Addr, b []byte) {
	p, _ := e.answered(from, b, packetVerdict, 1+tagBytes, introducing)
	if p == nil {
		return
	}
	payload, ok := openVerdict(p.session, b)
	if !ok {
		return
	}
	v, err := unpackVerdict(payload)
	switch {
	case err != nil:
		e.fail(p, Reason{Code: BadPacket, Text: err.Error()})
		return
	case !v.Accepted:
		e.fail(p, Reason{Code: Refused, Text: plainText(v.Refusal)})
		return
	}
	p.over = true
	c := e.open(now, &connEntry{}, ConnConfig{
		Addr: from, Keys: p.session, Peer: p.key, Initiator: true, PeerRate: v.Rate, Check: v.Check,
		Route: v.Route,
	}, p.options.User)
	if e.cfg.Connected != nil {
		e.cfg.Connected(c, v.Welcome)
	}
}

// handleSessionUnknown handles the statement that the server does not have the session. The attempt
// begins anew.
func (e *Endpoint) handleSessionUnknown(now Time, from Addr, b []byte) {
	if p, rest := e.answered(from, b, packetSessionUnknown, 0, introducing); p != nil && len(rest) == 0 {
		p.beginAnew(now)
	}
}

// handleBusy handles the statement that this side must wait. The attempt goes on.
func (e *Endpoint) handleBusy(now Time, from Addr, b []byte) {
	nonce, rest, ok := parseNonceHead(b, packetBusy, 2)
	p := e.pendingTo(from)
	if ok && len(b) == busySize && p != nil && p.puzzle.Nonce == nonce && p.stage >= requesting {
		p.wait(now, int(binary.LittleEndian.Uint16(rest)))
	}
}

// handleDeferred handles the statement that the server decides later. The attempt goes on.
func (e *Endpoint) handleDeferred(now Time, from Addr, b []byte) {
	p, _ := e.answered(from, b, packetDeferred, 2+tagBytes, introducing)
	if p == nil {
		return
	}
	if number, text, ok := openDeferral(p.session, b); ok && number >= p.deferrals {
		p.deferrals = number
		p.deferred(now, text)
	}
}

// pendingTo returns the current attempt to connect to an address, or nil.
func (e *Endpoint) pendingTo(to Addr) *Pending {
	for _, p := range e.pending {
		if p.expects(to) && !p.over && p.fault == nil {
			return p
		}
	}
	return nil
}

// Knows reports whether an address is that of a connection or an attempt of this side. A program
// with several endpoints on one socket asks them whose datagram it is.
func (e *Endpoint) Knows(a Addr) bool { return e.byAddr[a] != nil || e.pendingTo(a) != nil }

// expire ends the attempts past their deadline and removes those that are over.
func (e *Endpoint) expire(now Time) {
	for i := 0; i < len(e.pending); i++ { // Failed can start another attempt
		switch p := e.pending[i]; {
		case p.over:
		case p.fault != nil:
			e.fail(p, *p.fault)
		case now >= p.deadline && p.distrust != nil:
			e.fail(p, *p.distrust)
		case now >= p.deadline:
			e.fail(p, p.unanswered())
		}
	}
	kept := e.pending[:0]
	for _, p := range e.pending {
		if !p.over {
			kept = append(kept, p)
		}
	}
	clear(e.pending[len(kept):])
	e.pending = kept
}

func (e *Endpoint) fail(p *Pending, r Reason) {
	if p.over {
		return
	}
	p.over = true
	if p.session != nil {
		p.session.Erase()
	}
	if e.cfg.Failed != nil {
		e.cfg.Failed(p, r)
	}
}
