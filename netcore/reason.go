package netcore

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ReasonCode is the kind of a Reason.
type ReasonCode uint8

// The codes: why a connection ended or an attempt to connect failed. Drop packets contain these
// numbers.
const (
	NoReason       ReasonCode = iota
	TimedOut                  // the peer was silent for too long
	Closed                    // the peer closed the connection
	SelfClosed                // this side closed the connection
	Refused                   // the server refused a connect request
	ConnectTimeout            // a connect request got no answer
	BadPacket                 // an authentic packet could not be read
	Violation                 // an authentic packet broke a rule
	Overflow                  // a bounded queue was full
	Kicked                    // an operator or a script removed the player
	Replaced                  // the same player connected again
	KeyChanged                // the server's key differs from the known one
	ShuttingDown              // the program ends
	Forgotten                 // the server does not have the connection: it was restarted
	Restarting                // the program ends and starts again
	Transferred               // the player has gone on to the server that this side named
	reasonCodes
)

var reasonSentences = [reasonCodes]string{
	NoReason:       "no reason given",
	TimedOut:       "timed out",
	Closed:         "closed by the peer",
	SelfClosed:     "closed",
	Refused:        "refused",
	ConnectTimeout: "no answer",
	BadPacket:      "bad packet",
	Violation:      "protocol violation",
	Overflow:       "overflow",
	Kicked:         "kicked",
	Replaced:       "replaced by a newer connection",
	KeyChanged:     "the server's key has changed",
	ShuttingDown:   "shutting down",
	Forgotten:      "the server does not know this connection",
	Restarting:     "the server restarts",
	Transferred:    "transferred",
}

// String returns a short description of the code.
func (c ReasonCode) String() string {
	if c >= reasonCodes {
		return "unknown reason"
	}
	return reasonSentences[c]
}

// MaxReasonText is the maximum length of a Reason's Text in a packet, in bytes.
const MaxReasonText = 255

// Reason is why a connection ended. It is comparable, and it is an error.
type Reason struct {
	Code ReasonCode
	Text string // details for people; can be empty
}

// String returns one readable sentence. If a person wrote the text (closing, refusing), String
// returns the text alone. So it does for Replaced and Transferred. Otherwise it puts the
// description of the code before the text.
func (r Reason) String() string {
	switch {
	case r.Text == "":
		return r.Code.String()
	case r.Code == Closed || r.Code == SelfClosed || r.Code == Refused || r.Code == Replaced || r.Code == Transferred || r.Code == NoReason:
		return r.Text
	}
	return r.Code.String() + ": " + r.Text
}

// Error returns the same text as String.
func (r Reason) Error() string { return r.String() }

// Violationf returns a Reason with code Violation, as an error. A stream's Unpack returns it to end
// the connection of a peer that broke a rule.
func Violationf(format string, args ...any) error {
	return Reason{Violation, fmt.Sprintf(format, args...)}
}

// ReasonOf converts an error of a section to a Reason. A Reason stays as it is. Any other error
// gets the code and the section's name.
func ReasonOf(err error, code ReasonCode, section string) Reason {
	var r Reason
	if errors.As(err, &r) {
		return r
	}
	return Reason{code, section + ": " + err.Error()}
}

// forPeer returns the reason in the form sent to the peer. Codes for actions of this side stay.
// Codes for faults that this side only noticed become Closed, and so do polite closes.
func (r Reason) forPeer() Reason {
	switch r.Code {
	case Kicked, Replaced, ShuttingDown, Restarting, Transferred, TimedOut, Overflow, BadPacket, Violation:
		return Reason{r.Code, plainText(r.Text)}
	case SelfClosed, Closed, NoReason:
		return Reason{Closed, plainText(r.Text)}
	}
	return Reason{Closed, plainText(r.String())}
}

// plainText makes a text from a peer or a person safe to show to people: valid UTF-8 without
// control characters, line separators and bidirectional overrides, at most MaxReasonText bytes.
func plainText(s string) string {
	if len(s) > MaxReasonText {
		s = s[:MaxReasonText]
	}
	s = strings.ToValidUTF8(s, "")
	return strings.Map(func(r rune) rune {
		overrides := r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
		if overrides || unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, s)
}
