package attack

import (
	"encoding/binary"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"
)

// foreign are questions and announcements of other games: they ask for a server's info or its list of
// players, or enter a server into a list.
var foreign = []string{
	"\xff\xff\xff\xffTSource Engine Query\x00", "\xff\xff\xff\xffU\xff\xff\xff\xff", "\xff\xff\xff\xffV\xff\xff\xff\xff", "\xff\xff\xff\xffi", "1\xff0.0.0.0:0\x00\x00",
	"\xff\xff\xff\xffgetinfo xxx", "\xff\xff\xff\xffgetstatus\n", "\xff\xff\xff\xffgetchallenge", "\xff\xff\xff\xffrcon x status", "\xff\xff\xff\xffheartbeat QuakeArena-1\n",
	"\xff\xff\xff\xffgetservers 68 empty full", `\status\`, `\info\`, `\basic\`, `\secure\`, `\heartbeat\28000\gamename\torc`, "\xfe\xfd\x00\x00\x00\x00\x01\xff\xff\xff", "\xfe\x01\xfa",
	"\x0e\x00\x01\x02\x03\x04", "\x12\x00\x01\x02\x03\x04", "\x16\x00\x01\x02\x03\x04", "\x06\xff\x00\x00\x00\x00\x00", "SAMP\x7f\x00\x00\x01aai", "stats\n", "version\n", "M-SEARCH * HTTP/1.1\r\n\r\n",
}

// playForeign sends questions and announcements of other games, from a flood of addresses and from one
// that reads. Only a challenge request may have an answer.
func playForeign(r *round) error {
	c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.address(100), 0)))
	if err != nil {
		return err
	}
	defer c.Close()
	err = r.flooded(func(b []byte) []byte {
		b = append(b, foreign[rand.IntN(len(foreign))]...)
		return append(b, make([]byte, rand.IntN(3)*100)...)
	}, true)
	if err != nil {
		return err
	}
	for _, text := range foreign {
		if _, err := c.WriteToUDPAddrPort([]byte(text), r.to); err != nil {
			return err
		}
	}
	asked := spoofed(nil)
	if _, err := c.WriteToUDPAddrPort(asked, r.to); err != nil {
		return err
	}
	answers, challenges := 0, 0
	buf := make([]byte, 1<<16)
	for {
		_ = c.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		n, _, err := c.ReadFromUDPAddrPort(buf)
		if err != nil {
			break
		}
		if n > 17 && binary.LittleEndian.Uint64(buf[1:]) == binary.LittleEndian.Uint64(asked[1:]) {
			challenges++
			continue
		}
		answers++
	}
	r.note("%d kinds of questions and announcements of other games: %d answers; a challenge request: %d", len(foreign), answers, challenges)
	r.fail(answers > 0, "a question of another game has an answer")
	r.fail(challenges == 0, "no answer to a challenge request, so the row proves nothing")
	return nil
}
