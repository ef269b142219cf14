package seal

// An Agent does what needs the private key of a KeyPair. With an agent of its own a program can
// write down all results, and an agent that has only these results can repeat a run without the
// key.
type Agent interface {
	// Exchange returns the secret that the key shares with the owner of a public key. A public key
	// of low order is an error.
	Exchange(public []byte) ([]byte, error)
	// Token returns the reset token of a connection id.
	Token(id uint64) ResetToken
}

// Agent returns what uses the private key, for an agent that only watches. The zero KeyPair has an
// agent that exchanges no secret.
func (id KeyPair) Agent() Agent {
	if id.agent != nil {
		return id.agent
	}
	return &owner{id, id.ResetKey()}
}

// WithAgent returns a KeyPair of the public key that leaves all that needs the private key to an
// agent.
func (id KeyPair) WithAgent(a Agent) KeyPair { return KeyPair{Public: id.Public, agent: a} }

// exchange returns the secret that the key shares with the owner of a public key.
func (id *KeyPair) exchange(public []byte) ([]byte, error) {
	switch {
	case id.agent != nil:
		return id.agent.Exchange(public)
	case id.private == nil:
		return nil, errNoKey
	}
	return exchange(id.private, public)
}

// owner is the Agent of a KeyPair that has its private key.
type owner struct {
	pair   KeyPair
	resets ResetKey
}

func (o *owner) Exchange(public []byte) ([]byte, error) { return o.pair.exchange(public) }

func (o *owner) Token(id uint64) ResetToken { return o.resets.Token(id) }
