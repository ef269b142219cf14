// Package logs makes a logger with one record per line. It limits how often the same message is
// written, and how many bytes the warnings about peers have. So no peer and no mod can fill a disk, and
// warnings about one connection do not hide those about others.
package logs

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	perSecond = 10   // records of one message in a second
	messages  = 4096 // different messages with a limit of their own; the rest share one limit

	peerBytes  = 1 << 10 // bytes per second of warnings about one peer
	peersBytes = 8 << 10 // bytes per second of warnings about all peers
	longest    = 256     // bytes of a text in a warning about a peer
	overhead   = 64      // bytes of a record for the time, the level and the rest

	// PeerKey is the key of the attribute with the number of a connection. A record of level Warn or
	// above with this attribute is a warning about a peer.
	PeerKey = "connection"
)

// New returns a logger that writes records of level and above to w, as "text" or "json".
func New(w io.Writer, level slog.Leveler, format string) *slog.Logger {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: plain}
	var h slog.Handler = slog.NewTextHandler(w, o)
	if format == "json" {
		h = slog.NewJSONHandler(w, o)
	}
	return slog.New(limited{h, &limits{seen: map[string]*limit{}, peers: map[string]*share{}}})
}

// limited passes at most perSecond records of one message, and warnings about peers up to peerBytes
// and peersBytes per second. The next record of the kind reports the number suppressed.
type limited struct {
	slog.Handler
	limits *limits
}

func (l limited) Handle(ctx context.Context, r slog.Record) error {
	var pass bool
	var kept int
	if peer := peerOf(r); peer != "" {
		r = shortened(r)
		pass, kept = l.limits.takePeer(peer, size(r), r.Time)
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
	seen  map[string]*limit
	swept time.Time // time of the last call of forget

	peers map[string]*share // by the number of the connection, of the second that starts at all.since
	all   share
	kept  int // warnings about peers suppressed since the last one that passed
}

// A share counts the bytes of warnings in the second that starts at since.
type share struct {
	since time.Time
	bytes int
}

// takePeer reports whether a warning about a peer can pass now, and how many warnings about peers
// were suppressed before it. A new second forgets all peers.
func (l *limits) takePeer(peer string, bytes int, now time.Time) (pass bool, kept int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if age := now.Sub(l.all.since); age < 0 || age >= time.Second {
		l.all = share{since: now}
		clear(l.peers)
	}
	one := l.peers[peer]
	if one == nil {
		one = &share{}
	}
	if one.bytes+bytes > peerBytes || l.all.bytes+bytes > peersBytes {
		l.kept++
		return false, 0
	}
	one.bytes += bytes
	l.all.bytes += bytes
	l.peers[peer] = one
	kept, l.kept = l.kept, 0
	return true, kept
}

// peerOf returns the number of the connection of a warning about a peer, or "".
func peerOf(r slog.Record) (peer string) {
	if r.Level < slog.LevelWarn {
		return ""
	}
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == PeerKey {
			peer = a.Value.String()
		}
		return peer == ""
	})
	return peer
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

// limit counts the records of one message in the second that starts at since.
type limit struct {
	since time.Time
	count int
	kept  int
}

// take reports whether a record can pass now, and how many were suppressed before it.
func (l *limits) take(message string, now time.Time) (pass bool, kept int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.seen[message]
	if one == nil {
		if age := now.Sub(l.swept); len(l.seen) >= messages && (age < 0 || age >= time.Second) {
			l.forget(now)
		}
		if len(l.seen) >= messages {
			message = "" // the shared limit of the rest
			one = l.seen[message]
		}
		if one == nil {
			one = &limit{since: now}
			l.seen[message] = one
		}
	}
	if age := now.Sub(one.since); age < 0 || age >= time.Second {
		one.since, one.count = now, 0
	}
	if one.count >= perSecond {
		one.kept++
		return false, 0
	}
	one.count++
	kept, one.kept = one.kept, 0
	return true, kept
}

// forget removes messages whose second is over and without suppressed records to report. It reads
// the whole table, so the caller must not call it for each message of a flood.
func (l *limits) forget(now time.Time) {
	l.swept = now
	for message, one := range l.seen {
		if one.kept == 0 && now.Sub(one.since) >= time.Second {
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
