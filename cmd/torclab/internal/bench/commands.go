package bench

import (
	"errors"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
)

const (
	commandLoss = .1
	commandTime = time.Minute // of virtual time
)

// lineProfile is a rate that a client can ask for, with its name in `net.profile`.
type lineProfile struct {
	name string
	rate netcore.Rate
	aim  float64 // ms: 99 of 100 commands take at most this
}

// The profiles of `net.profile`, and some numbers for `net.rate`.
var lineProfiles = []lineProfile{
	{"auto", netcore.Rate{Packets: netcore.Auto, Size: netcore.MaxSize}, 160},
	{"lan", netcore.DefaultRate, 160},
	{"31", netcore.Rate{Packets: 31, Size: netcore.MaxSize}, 160},
	{"40", netcore.Rate{Packets: 40, Size: netcore.MaxSize}, 160},
	{"100", netcore.Rate{Packets: 100, Size: netcore.MaxSize}, 160},
	{"dsl", netcore.Rate{Packets: 20, Size: 450}, 220},
	{"modem", netcore.Rate{Packets: 10, Size: 200}, 370},
}

// commandRow measures how long an ordered command takes from its post until it is processed. The
// server posts one per tick, to a client with a profile.
func commandRow(p lineProfile) (Row, error) {
	ages, sent, err := commandAges(p.rate)
	if err != nil {
		return nil, err
	}
	return Row{
		{"profile", p.name}, {"loss", commandLoss}, {"bytes_per_s", sent}, {"command_ms_p50", quantile(ages, .5)},
		{"command_ms_p99", quantile(ages, .99)}, {"command_ms_max", quantile(ages, 1)}, {"aim_ms_p99", p.aim},
	}, nil
}

// commandAges returns the times of all commands in ms, sorted, and the bytes that the server sent
// per second.
func commandAges(rate netcore.Rate) (ages []float64, sent float64, err error) {
	client, err := newPeer(netcore.Config{RecvRate: rate})
	if err != nil {
		return nil, 0, err
	}
	server, err := newPeer(netcore.Config{Accepting: true})
	if err != nil {
		return nil, 0, err
	}
	n, err := introduce(1, client, server)
	if err != nil {
		return nil, 0, err
	}
	line := netcore.LinkParams{Loss: commandLoss, Delay: lossDelay}
	n.Link(clientAt, serverAt, line, line)
	var posted []netcore.Time
	client.count.done = func() { ages = append(ages, milliseconds(n.Now()-posted[len(ages)])) }
	before, start := server.conn.Stats().SentBytes, n.Now()
	for n.Now() < start+commandTime {
		posted = append(posted, n.Now())
		if err := server.count.post(server.events); err != nil {
			return nil, 0, err
		}
		n.Run(n.Now()+tickTime, time.Millisecond)
	}
	sent = float64(server.conn.Stats().SentBytes-before) / commandTime.Seconds()
	if !n.RunWhile(n.Now()+lossTimeout, time.Millisecond, func() bool { return len(ages) < len(posted) }) {
		return nil, 0, errors.Join(errors.New("some commands did not arrive"), client.err, server.err)
	}
	slices.Sort(ages)
	return ages, sent, nil
}
