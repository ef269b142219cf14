package netcore

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ReasonCode is the kind of a Reason.
type ReasonCode uint8

// Why connections end, and connects fail. The numbers travel in drop packets.
const (
	NoReason       ReasonCode = iota
	TimedOut                  // nothing was heard from the peer for too long
	Closed                    // the peer closed the connection
	SelfClosed                // this side closed the connection
	Refused                   // the server said no to a connect request
	ConnectTimeout            // a connect request found no answer
	BadPacket                 // an authentic packet could not be read
	Violation                 // an authentic packet broke a rule
	Overflow                  // a queue with a bound was full
	Kicked                    // thrown out by an operator or a script
	Replaced                  // the same player connected again
	KeyChanged                // the server's key is not the one that is known
	ShuttingDown              // the program ends
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
}

// String returns the code as a few words.
func (c ReasonCode) String() string {
	if c >= reasonCodes {
		return "unknown reason"
	}
	return reasonSentences[c]
}

// MaxReasonText is how much of a Reason's Text travels, in bytes.
const MaxReasonText = 255

// Reason is why a connection ended. It is comparable, and an error.
type Reason struct {
	Code ReasonCode
	Text string // particulars for people; may be empty
}

// String returns one readable sentence. Where the text is somebody's own
// words (closing, refusing) it stands alone, elsewhere the code introduces it.
func (r Reason) String() string {
	switch {
	case r.Text == "":
		return r.Code.String()
	case r.Code == Closed || r.Code == SelfClosed || r.Code == Refused || r.Code == NoReason:
		return r.Text
	}
	return r.Code.String() + ": " + r.Text
}

// Error is String.
func (r Reason) Error() string { return r.String() }

// Violationf returns the Reason of a peer that broke a rule, as an error. A stream's Unpack
// returns it to end the connection.
func Violationf(format string, args ...any) error {
	return Reason{Violation, fmt.Sprintf(format, args...)}
}

// ReasonOf makes a Reason of an error of a section: a Reason stays as it is, any other error gets
// the code and the section's name.
func ReasonOf(err error, code ReasonCode, section string) Reason {
	var r Reason
	if errors.As(err, &r) {
		return r
	}
	return Reason{code, section + ": " + err.Error()}
}

// told returns how a reason reads at the peer: its own acts keep their code,
// what merely happened to it (or was meant politely) is a close.
func (r Reason) told() Reason {
	switch r.Code {
	case Kicked, Replaced, ShuttingDown, Overflow, BadPacket, Violation:
		return Reason{r.Code, plainText(r.Text)}
	case SelfClosed, Closed, NoReason:
		return Reason{Closed, plainText(r.Text)}
	}
	return Reason{Closed, plainText(r.String())}
}

// plainText makes somebody's text fit to be printed: valid UTF-8 without
// control characters, at most MaxReasonText bytes.
func plainText(s string) string {
	if len(s) > MaxReasonText {
		s = s[:MaxReasonText]
	}
	s = strings.ToValidUTF8(s, "")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}
