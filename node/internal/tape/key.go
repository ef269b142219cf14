package tape

import (
	"io"
	"math/rand/v2"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/journal"
)

// A journal does not have the private key of the server. It has the results of the key.

// Entropy returns random bytes from the key in the journal.
func (r *Recorder) Entropy(io.Reader) io.Reader { return rand.NewChaCha8(r.cfg.Entropy) }

// Identity returns the key of the server.
func (r *Recorder) Identity(own seal.KeyPair) seal.KeyPair {
	return own.WithAgent(&recordedKey{r, own.Agent()})
}

type recordedKey struct {
	to  *Recorder
	own seal.Agent
}

func (k *recordedKey) Exchange(public []byte) ([]byte, error) {
	secret, err := k.own.Exchange(public)
	k.to.write(journal.Entry{Kind: journal.Exchange, Name: text(err), Data: secret})
	return secret, err
}

func (k *recordedKey) Token(id uint64) seal.ResetToken {
	t := k.own.Token(id)
	if k.to.depth > 0 { // else it resets a connection that the server does not have
		k.to.write(journal.Entry{Kind: journal.Token, Data: t[:]})
	}
	return t
}

// Entropy returns the same random bytes as the Recorder's.
func (p *Player) Entropy(io.Reader) io.Reader { return rand.NewChaCha8(p.Config.Entropy) }

// Identity returns the public key of the server. Its private key is not known.
func (p *Player) Identity(seal.KeyPair) seal.KeyPair {
	key, _ := seal.ParseKey(p.Config.Key) // a wrong one gives other packets
	return seal.KeyPair{Public: key}.WithAgent((*playedKey)(p))
}

type playedKey Player

func (k *playedKey) Exchange([]byte) ([]byte, error) {
	a := (*Player)(k).answer(journal.Exchange)
	if len(a.Data) != 32 {
		return nil, said("no secret: " + a.Name)
	}
	return a.Data, nil
}

func (k *playedKey) Token(uint64) (t seal.ResetToken) {
	copy(t[:], (*Player)(k).answer(journal.Token).Data)
	return t
}
