package engine

import (
	"errors"
	"slices"
	"time"
)

const (
	// onwardEach is how many players of a draining server are looked at in a tick.
	onwardEach = 16
	// onwardQuick is how many refusals of a player are followed by the next try at once. Then
	// onwardPause is between two tries: a client follows at most four orders a minute.
	onwardQuick = 3
	onwardPause = 15 * time.Second
	onwardWait  = time.Second // until a player without a server is looked at again
	// rescueTime is the last part of a drain. In it players are sent on also if scripts decide
	// about them: some can have been forgotten.
	rescueTime = 20 * time.Second
)

// onwardTries are the tries to send a player on.
type onwardTries struct {
	tried   []string // servers that have refused, since all of them were tried
	refused int
	next    uint64 // the tick of the next try
}

// sendOn sends players to other servers: to the one that was named, or to those that scripts find.
func (d *Drain) sendOn() {
	h := d.host
	if d.taken && d.to == "" && d.left > min(rescueTime, d.most/2) {
		return
	}
	looks := 0
	for _, c := range h.conns {
		if looks == onwardEach {
			return
		}
		if !c.inbound || c.bot || c.spectator || c.over() || c.Join.phase != PhaseGame || c.Transferring() {
			continue
		}
		if p := d.triesOf(c); h.tick >= p.next {
			looks++
			d.sendPlayer(c, p)
		}
	}
}

// triesOf returns the tries of a player.
func (d *Drain) triesOf(c *Connection) *onwardTries {
	p := d.tries[c.ID()]
	if p == nil {
		p = &onwardTries{}
		d.tries[c.ID()] = p
	}
	return p
}

// onward returns the order to go to another server.
func (d *Drain) onward(to string, tried []string) (TransferOrder, error) {
	if f := d.host.cfg.Onward; f != nil {
		return f(to, tried, func(name string) int { return d.sent[name] })
	}
	return TransferOrder{}, errors.New("this server knows no other ones")
}

// sendPlayer orders a player to the next server.
func (d *Drain) sendPlayer(c *Connection, p *onwardTries) {
	o, err := d.onward(d.to, p.tried)
	if err != nil && len(p.tried) > 0 { // all have refused
		p.tried = nil
		if p.refused < onwardQuick {
			p.next = d.host.Pace.tickAfter(onwardPause)
			return
		}
		o, err = d.onward(d.to, nil)
	}
	if err != nil {
		p.next = d.host.Pace.tickAfter(onwardWait)
		return
	}
	sent := d.sent // another drain counts anew
	err = c.Transfer(o, nil, "drain", func(ok bool, _ string) {
		if !ok {
			sent[o.Name]--
			d.refused(p, o.Name)
		}
	})
	if err != nil { // this player can go nowhere
		p.next = d.host.Pace.tickAfter(onwardPause)
		return
	}
	d.sent[o.Name]++
}

// refused notes that a player is not taken by a server, or does not want to go.
func (d *Drain) refused(p *onwardTries, name string) {
	p.refused++
	p.tried = append(slices.Clip(p.tried), name)
	if p.refused >= onwardQuick {
		p.next = d.host.Pace.tickAfter(onwardPause)
	}
}
