// Package logs makes a logger with one record per line. It limits how often the same message is
// written, and how many bytes the records about peers have. So no peer and no mod can fill a disk.
// Warnings about one connection do not hide those about others, and joins from one address do not
// hide those from others.
package logs

import (
	"context"
	"io"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/torc-engine/torc/internal/rate"
)

const (
	perSecond = 10   // records of one message in a second
	messages  = 4096 // different messages with a limit of their own; the rest share one limit

	peerBytes  = 1 << 10 // bytes per second of a pool for one peer
	peersBytes = 8 << 10 // bytes per second of a pool for all peers
	longest    = 256     // bytes of a text in a record about a peer
	overhead   = 64      // bytes of a record for the time, the level and the rest

	// PeerKey is the key of the attribute with the number of a connection. A record of level Warn
	// or above with this attribute is a warning about a peer.
	PeerKey = "connection"
	// AddressKey is the key of the attribute with the address of a peer, HOST:PORT. A record with
	// it, and without PeerKey, is about the peers of an IPv4 address or an IPv6 /64.
	AddressKey = "address"
)

// New returns a logger that writes records of level and above to w, as "text" or "json".
func New(w io.Writer, level slog.Leveler, format string) *slog.Logger {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: plain}
	var h slog.Handler = slog.NewTextHandler(w, o)
	if format == "json" {
		h = slog.NewJSONHandler(w, o)
	}
	return slog.New(limited{h, &limits{seen: map[string]*limit{}, pools: map[string]*pool{}}})
}

// limited passes at most perSecond records of one message. Records about peers pass up to peerBytes
// and peersBytes per second instead. The next record of the kind reports the number suppressed.
type limited struct {
	slog.Handler
	limits *limits
}

func (l limited) Handle(ctx context.Context, r slog.Record) error {
	var pass bool
	var kept int
	if kind, peer := peerOf(r); peer != "" {
		r = shortened(r)
		pass, kept = l.limits.takePeer(kind, peer, size(r), r.Time)
	} else {
		pass, kept = l.limits.take(r.Message, r.Time)
	}
	if !pass {
		return nil
	}
	if kept > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("suppressed", kept))
	}
	return l.Handler.Handle(ctx, r)
}

func (l limited) WithAttrs(as []slog.Attr) slog.Handler {
	return limited{l.Handler.WithAttrs(as), l.limits}
}

func (l limited) WithGroup(name string) slog.Handler {
	return limited{l.Handler.WithGroup(name), l.limits}
}

type limits struct {
	mu    sync.Mutex
	began time.Time // at the first record
	seen  map[string]*limit
	swept rate.Second // counts the calls of forget

	pools map[string]*pool // by the message of records about addresses; "" is for all warnings about connections
}

// since returns the time since the first record. A clock that is set back can make it negative.
func (l *limits) since(now time.Time) time.Duration {
	if l.began.IsZero() {
		l.began = now
	}
	return now.Sub(l.began)
}

// A pool limits the bytes of one kind of records about peers.
type pool struct {
	peers map[string]*rate.Second // bytes by the connection or the address, in the second of all
	all   rate.Second             // bytes
	kept  int                     // records suppressed since the last one that passed
}

// takePeer reports whether a record about a peer can pass now, and how many records of its pool
// were suppressed before it.
func (l *limits) takePeer(kind, peer string, bytes int, now time.Time) (pass bool, kept int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pools[kind]
	if p == nil {
		p = &pool{peers: map[string]*rate.Second{}}
		l.pools[kind] = p
	}
	return p.take(peer, bytes, l.since(now))
}

// take uses bytes of the shares of a peer and of all peers. A new second forgets all peers.
func (p *pool) take(peer string, bytes int, now time.Duration) (pass bool, kept int) {
	if p.all.Over(now) {
		clear(p.peers)
	}
	one := p.peers[peer]
	if one == nil {
		one = new(rate.Second)
	}
	if !one.Has(now, bytes, peerBytes) || !p.all.Add(now, bytes, peersBytes) {
		p.kept++
		return false, 0
	}
	one.Add(now, bytes, peerBytes)
	p.peers[peer] = one
	kept, p.kept = p.kept, 0
	return true, kept
}

// peerOf returns the peer of a record and the kind of its pool. Without a peer it returns "". The
// messages of records with an address are constants or have the name of a mod, so pools are few.
func peerOf(r slog.Record) (kind, peer string) {
	address := ""
	r.Attrs(func(a slog.Attr) bool {
		switch {
		case a.Key == PeerKey && r.Level >= slog.LevelWarn:
			peer = a.Value.String()
		case a.Key == AddressKey:
			address = a.Value.String()
		}
		return peer == ""
	})
	if peer != "" || address == "" {
		return "", peer
	}
	return r.Message, network(address)
}

// network returns the IPv4 address or the IPv6 /64 of HOST:PORT, or another text as it is.
func network(address string) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return address
	}
	ip := at.Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}

// shortened returns a record with texts of at most longest bytes.
func shortened(r slog.Record) slog.Record {
	cut := slog.NewRecord(r.Time, r.Level, short(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		a.Value = a.Value.Resolve()
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(err.Error())
		}
		if a.Value.Kind() == slog.KindString {
			a.Value = slog.StringValue(short(a.Value.String()))
		}
		cut.AddAttrs(a)
		return true
	})
	return cut
}

func short(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

// size returns about the number of bytes of a record in the log.
func size(r slog.Record) int {
	n := overhead + len(strconv.Quote(r.Message))
	r.Attrs(func(a slog.Attr) bool {
		n += len(a.Key) + len(strconv.Quote(Plain(a.Value.String()))) + 2
		return true
	})
	return n
}

// limit counts the records of one message.
type limit struct {
	passed rate.Second
	kept   int // suppressed since the last one that passed
}

// take reports whether a record can pass now, and how many were suppressed before it.
func (l *limits) take(message string, now time.Time) (pass bool, kept int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.since(now)
	one := l.seen[message]
	if one == nil {
		if len(l.seen) >= messages && l.swept.Add(at, 1, 1) {
			l.forget(at)
		}
		if len(l.seen) >= messages {
			message = "" // the shared limit of the rest
			one = l.seen[message]
		}
		if one == nil {
			one = new(limit)
			l.seen[message] = one
		}
	}
	if !one.passed.Add(at, 1, perSecond) {
		one.kept++
		return false, 0
	}
	kept, one.kept = one.kept, 0
	return true, kept
}

// forget removes messages whose second is over and without suppressed records to report. It reads
// the whole table, so the caller must not call it for each message of a flood.
func (l *limits) forget(now time.Duration) {
	for message, one := range l.seen {
		if one.kept == 0 && one.passed.Over(now) {
			delete(l.seen, message)
		}
	}
}

// plain removes control characters from the texts of an attribute.
func plain(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(Plain(a.Value.String()))
	} else if err, ok := a.Value.Any().(error); ok {
		a.Value = slog.StringValue(Plain(err.Error()))
	}
	return a
}

// Plain replaces control and format characters by U+FFFD: escapes, bidi overrides, zero widths. It
// keeps tabs and newlines.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
