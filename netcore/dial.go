package netcore

// The client's half of the handshake, as far as it needs the Endpoint.

// handleChallengeResponse handles the response to this side's challenge request.
func (e *Endpoint) handleChallengeResponse(now Time, from Addr, b []byte) {
	nonce, cookie, key, ok := parseChallengeResponse(b)
	p := e.pendingTo(from)
	if !ok || p == nil || p.nonce != nonce {
		return
	}
	if reason, ok := p.handleChallenge(now, e.cfg.Entropy, e.cfg.Identity, from, cookie, key); !ok {
		e.fail(p, reason)
	}
}

// handleConnectReply handles the reply to this side's connect request. It ignores a reply that is not
// authentic, because the authentic one can still arrive.
func (e *Endpoint) handleConnectReply(now Time, from Addr, b []byte) {
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
	c := e.open(now, &connEntry{}, ConnConfig{
		Addr: from, Keys: pair, Peer: p.key, Initiator: true, PeerRate: a.Rate, Check: a.Check,
	}, p.options.User)
	if e.cfg.Connected != nil {
		e.cfg.Connected(c, a.Welcome)
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
