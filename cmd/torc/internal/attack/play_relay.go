package attack

import (
	"context"
	crand "crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
)

// lies are acks of packets that the server has not sent.
var lies = []func(y *relay) []byte{
	func(y *relay) []byte { return y.control(controlAck, y.got[kindData]+64, 0) }, // more than can be on their way
	func(y *relay) []byte { return y.control(controlAck, y.got[kindData]+1000, 0) },
	func(y *relay) []byte { return y.control(controlAck, 1<<ackBits-1, 0) },
}

// leaps are packets with numbers that the client cannot have reached.
var leaps = []func(y *relay) []byte{
	func(y *relay) []byte { return y.control(controlPing, y.got[kindData], y.sent[kindData]+leap) },
	func(y *relay) []byte { return y.control(controlPing, y.got[kindData], 1<<ackBits-1) },
	func(y *relay) []byte {
		return y.withID(sealWith(y.far, kindData, y.sent[kindData]+leap, make([]byte, 100)))
	},
}

// leap is more than the window of a connection.
const leap = 5000

// playAcks lets clients acknowledge packets that the server has not sent, name packets that they cannot
// have sent, and acknowledge lost packets.
func playAcks(r *round) error {
	why, err := r.lie(lies)
	if err != nil {
		return err
	}
	r.judgeForged(why, "ack of packet")
	if why, err = r.lie(leaps); err != nil {
		return err
	}
	r.judgeForged(why, "beyond the end of the window")
	return r.lieAboutLoss()
}

// lie lets clients send one of some packets each, in the game. It returns the reasons of their ends.
func (r *round) lie(with []func(y *relay) []byte) (why map[string]int, err error) {
	n := len(with) * r.rate(20)
	why, err = r.playForged(n, func(i int) clientSpec {
		return clientSpec{relayed: true, tick: func(c *client) {
			if y := c.relay; c.playing() && !y.mute && y.got[kindData] > 0 {
				_ = c.socket.Write(c.to, with[i%len(with)](y))
				y.mute = true // later packets of the client would have lower numbers
			}
		}}
	})
	r.note("%d clients lied about packets, for %d reasons", n, len(why))
	return why, err
}

// liars is how many clients acknowledge lost packets, and liarRate the receive rate that they announce,
// in packets per second. The server has more for them than that.
const liars, liarRate = 4, 4

// lieAboutLoss lets clients lose all data packets of the server and acknowledge all of them at once.
func (r *round) lieAboutLoss() error {
	all, err := r.attackers(liars, func(int) clientSpec {
		return clientSpec{relayed: true, set: func(s *engine.Settings) { s.Rate = liarRate }, tick: func(c *client) {
			if y := c.relay; c.playing() && !y.mute {
				y.lossy = true
				_ = c.socket.Write(c.to, y.control(controlAck, y.got[kindData], 0))
			}
		}}
	})
	if err != nil {
		return err
	}
	before, size := make([]uint64, len(all)), 0
	r.bad.do(func() {
		for i, c := range all {
			before[i], size = c.relay.got[kindData], size-c.relay.bytes
		}
	})
	began := time.Now()
	time.Sleep(r.length)
	took, most := time.Since(began).Seconds(), 0.
	r.bad.do(func() {
		for i, c := range all {
			most, size = max(most, float64(c.relay.got[kindData]-before[i])), size+c.relay.bytes
			r.fail(c.over != "" && !strings.Contains(c.over, "ack of packet"), "a client that lies about loss has lost its connection: %q", c.over)
			c.relay.mute = true
		}
	})
	r.note("%d clients acknowledged packets that they lost: at most %.2f packets/s for one, %.0f bytes/s on average",
		liars, most/took, float64(size)/took/liars)
	r.fail(most > took*liarRate*1.05+2, "more than the receive rate of %d packets/s", liarRate)
	r.fail(most < took*liarRate/2, "hardly a packet arrived, so the row proves nothing")
	return nil
}

// playNumbers lets clients with the same keys connect again and again, in the end to a second server with
// the identity of the first. Each packet of a server must open under a new number, and only with the
// keys of its session.
func playNumbers(r *round) error {
	keys := make([]seal.KeyPair, 4)
	for i := range keys {
		var err error
		if keys[i], err = seal.NewIdentity(crand.Reader); err != nil {
			return err
		}
	}
	sessions, err := r.sessionsOf(keys)
	if err != nil {
		return err
	}
	if r.server != nil {
		again, err := r.twin()
		if err != nil {
			return err
		}
		r.aim(again.to, r.from, r.guest)
		more, err := r.sessionsOf(keys)
		if err = errors.Join(err, again.close()); err != nil {
			return err
		}
		sessions = append(sessions, more...)
	}
	opened, unopened, foreign := 0, 0, 0
	for _, y := range sessions {
		opened, unopened = opened+y.opened, unopened+y.unopened
		for _, other := range sessions {
			if other != y {
				foreign += other.opens(y.seen)
			}
		}
	}
	r.note("%d packets in %d sessions with %d keys, %d under a number of before or another key; %d open in another session",
		opened, len(sessions), len(keys), unopened, foreign)
	r.fail(unopened > 0, "a packet does not open under a new number")
	r.fail(foreign > 0, "two sessions have a key in common")
	r.fail(opened == 0, "no packet arrived, so the row proves nothing")
	return nil
}

// sessionsOf lets clients with some keys join at least twice, and returns the relays of their sessions.
func (r *round) sessionsOf(keys []seal.KeyPair) (sessions []*relay, err error) {
	for end := time.Now().Add(r.length / 2); len(sessions) < 2*len(keys) || time.Now().Before(end); {
		all, err := r.attackers(len(keys), func(i int) clientSpec { return clientSpec{relayed: true, key: &keys[i]} })
		if err != nil {
			return nil, err
		}
		time.Sleep(r.length / 5)
		for _, c := range all {
			r.bad.remove(c, "", false)
			sessions = append(sessions, c.relay)
		}
	}
	return sessions, nil
}

// twin starts a server with the identity of the suite's server.
func (r *round) twin() (*site, error) {
	const path = "data/identity"
	identity, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	return startSetup(context.Background(), setup{listen: "127.0.0.1:0", files: map[string]string{path: string(identity)}})
}

// opens returns how many packets of another session open with the keys of this one.
func (y *relay) opens(packets []sealedPacket) (n int) {
	for _, p := range packets {
		if _, err := y.far.Open(nil, p.b[:sealedHead], p.b[sealedHead:], p.kind, p.number); err == nil {
			n++
		}
	}
	return n
}
