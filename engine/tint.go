package engine

import "github.com/torc-engine/torc/engine/sim"

// A Tint is an effect that covers the screen of a player.
type Tint int

// The tints.
const (
	DamageFlash Tint = iota // by pain
	WhiteOut                // by bright light
)

// Tints are what covers the screen of a connection's player.
type Tints struct {
	conn *Connection
	set  [2]tint // by this side for the peer
	told bool    // scripts of the client side know that there is a tint
}

// tint is a strength of 0…1 that fades to 0. Times are simulation milliseconds.
type tint struct {
	strength    float64
	since, fade int64 // fade is 0 if it stays
}

func (t tint) at(now int64) float64 {
	if t.fade == 0 {
		return t.strength
	}
	return t.strength * max(0, 1-float64(now-t.since)/float64(t.fade))
}

// Set sets how strongly this peer's screen is tinted, 0…1. The tint fades to 0 within fade ms of
// game time. With 0 it stays until the next call. If a change of the world is open, the tint waits
// for its commit.
func (t *Tints) Set(k Tint, strength float64, fade int64) {
	c := t.conn
	if c.moves == nil {
		return
	}
	if !(strength > 0) {
		strength = 0
	}
	c.host.world.OnCommit(func() {
		t.set[k] = tint{min(strength, 1), c.host.Now(), max(fade, 0)}
		t.send()
	})
}

// send puts the tints into the next packets.
func (t *Tints) send() {
	now := t.conn.host.Now()
	t.conn.moves.SetFlash(t.set[DamageFlash].at(now), t.set[WhiteOut].at(now))
}

// Strength returns how strongly the player's screen is tinted, 0…1: on a server as this side has
// set it, on a client as the server has.
func (t *Tints) Strength(k Tint) float64 {
	c := t.conn
	if c.inbound {
		return t.set[k].at(c.host.Now())
	}
	return c.prediction.flash[k]
}

// tell tells scripts of a client that a tint has come, or that the last one has gone.
func (t *Tints) tell() {
	if on := max(t.Strength(DamageFlash), t.Strength(WhiteOut)) > 0; on != t.told {
		t.told = on
		t.conn.host.scripts.ConnectionEvent(t.conn, "onFlash", sim.Bool(on))
	}
}
