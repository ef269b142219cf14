package netcore

// The client's half of the handshake, as far as it needs the Endpoint.

// challenged takes the answer to a challenge request of this side.
func (e *Endpoint) challenged(now Time, from Addr, b []byte) {
	nonce, cookie, key, ok := parseChallengeResponse(b)
	p := e.pendingTo(from)
	if !ok || p == nil || p.nonce != nonce {
		return
	}
	if reason, ok := p.challenged(now, e.cfg.Entropy, e.cfg.Identity, cookie, key); !ok {
		e.fail(p, reason)
	}
}

// replied takes the answer to a connect request of this side. One that is not
// authentic changes nothing: the true one may still come.
func (e *Endpoint) replied(now Time, from Addr, b []byte) {
	nonce, second, ok := parseConnectReply(b)
	p := e.pendingTo(from)
	if !ok || p == nil || p.nonce != nonce || p.initiator == nil {
		return
	}
	payload, pair, err := p.initiator.Read(second)
	if err != nil {
		return
	}
	a, err := unpackAnswer(payload)
	if err != nil {
		e.fail(p, Reason{Code: BadPacket, Text: err.Error()})
		return
	}
	if !a.Accepted {
		e.fail(p, Reason{Code: Refused, Text: plainText(a.Refusal)})
		return
	}
	p.over = true
	c := e.open(now, &session{}, ConnConfig{
		Addr: from, Keys: pair, Peer: p.key, Initiator: true, PeerRate: a.Rate, Check: a.Check,
	}, p.options.User)
	if e.cfg.Connected != nil {
		e.cfg.Connected(c, a.Welcome)
	}
}

// pendingTo returns the attempt that leads to an address, if one is under way.
func (e *Endpoint) pendingTo(to Addr) *Pending {
	for _, p := range e.pending {
		if p.to == to && !p.over && p.fault == nil {
			return p
		}
	}
	return nil
}

// expire ends the attempts whose time is up and forgets those that are over.
func (e *Endpoint) expire(now Time) {
	for i := 0; i < len(e.pending); i++ { // Failed may start another attempt
		switch p := e.pending[i]; {
		case p.over:
		case p.fault != nil:
			e.fail(p, *p.fault)
		case now >= p.deadline:
			e.fail(p, Reason{Code: ConnectTimeout})
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
	if e.cfg.Failed != nil {
		e.cfg.Failed(p, r)
	}
}
