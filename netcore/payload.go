package netcore

import (
	"errors"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// The payloads of the handshake: what the encrypted part of each packet says.

const (
	maxOfferText = 255 // bytes of a name, a password, a game or one argument
	maxOfferArgs = 16  // connect arguments
	maxLanguage  = 16  // bytes of a language
	maxTicket    = seal.MaxTicket
	maxParts     = 1024 // fingerprints of a program
	maxWelcome   = 1000 // bytes of the welcome in the server's verdict
	maxDeferral  = MaxReasonText + 3
)

// greeting describes a client's program to the server, in the first Noise message.
type greeting struct {
	Version uint32
	Game    string
	Classes uint64
}

// serialize is the wire form of a greeting. The version is always the first field. If the version
// differs, serialize reads no further fields.
func (g *greeting) serialize(s *bitstream.Codec, own uint32) {
	s.Uint(&g.Version, 32)
	if g.Version != own {
		return
	}
	handshakeText(s, &g.Game, maxOfferText)
	s.Bits(&g.Classes, 64)
}

// introduction describes a player to the server. It is encrypted with the keys of the session.
type introduction struct {
	Name, Password string
	Args           []string
	Rate           Rate
	Check          bool
	Roles          byte
	Language       string
	Ticket         []byte // of the server that sends the player; empty: the player comes by itself

	// Other says that server and client have unequal lists. Then Parts are the fingerprints of what
	// the client has.
	Other bool
	Parts []uint32
}

func (o *introduction) serialize(s *bitstream.Codec) {
	handshakeText(s, &o.Name, maxOfferText)
	handshakeText(s, &o.Password, maxOfferText)
	n := len(o.Args)
	s.Int(&n, 0, maxOfferArgs)
	if s.Reading() {
		o.Args = make([]string, min(max(n, 0), maxOfferArgs))
	}
	for i := range o.Args {
		handshakeText(s, &o.Args[i], maxOfferText)
	}
	o.Rate.Serialize(s)
	s.Flag(&o.Check)
	roles := uint32(o.Roles)
	s.Uint(&roles, 8)
	o.Roles = byte(roles)
	handshakeText(s, &o.Language, maxLanguage)
	has := len(o.Ticket) > 0
	if s.Flag(&has) {
		s.Bytes(&o.Ticket, maxTicket)
	}
	if o.Other {
		o.serializeParts(s)
	}
}

// serializeParts is the wire form of the fingerprints.
func (o *introduction) serializeParts(s *bitstream.Codec) {
	n := len(o.Parts)
	s.Int(&n, 0, maxParts)
	if s.Reading() {
		o.Parts = make([]uint32, min(max(n, 0), maxParts, s.Left()/32))
	}
	for i := range o.Parts {
		s.Uint(&o.Parts[i], 32)
	}
	if n != len(o.Parts) {
		s.Fail(bitstream.ErrRange)
	}
}

// verdict is the server's answer. In the second Noise message it is the answer to a greeting. Then
// only Accepted, Other or Refusal counts.
type verdict struct {
	Accepted bool
	Other    bool // server and client have unequal lists, and the introduction says what the client has
	Check    bool
	Rate     Rate
	Route    Route
	Welcome  []byte
	Refusal  string
}

// serialize is the wire form of a verdict on an introduction.
func (v *verdict) serialize(s *bitstream.Codec) {
	if !v.serializeRefusal(s) {
		return
	}
	s.Flag(&v.Check)
	v.Rate.Serialize(s)
	v.Route.serialize(s)
	s.Bytes(&v.Welcome, maxWelcome)
}

// serializeRefusal is the wire form of a verdict on a greeting. It has the same form in all
// versions, because it tells a client with the wrong version why it was refused.
func (v *verdict) serializeRefusal(s *bitstream.Codec) (accepted bool) {
	if !s.Flag(&v.Accepted) {
		handshakeText(s, &v.Refusal, MaxReasonText)
	}
	return v.Accepted
}

// handshakeText writes a string as length and bytes. It does not use the text compression, so that
// other versions of it can still read the handshake.
func handshakeText(s *bitstream.Codec, v *string, limit int) {
	b := []byte(*v)
	s.Bytes(&b, limit)
	if s.Reading() {
		*v = string(b)
	}
}

var (
	errLongText  = errors.New("the name, the password, the game or an argument has more than 255 bytes")
	errOfferArgs = errors.New("more than 16 connect arguments")
	errTicket    = errors.New("the ticket has more than 2145 bytes")
	errLanguage  = errors.New("the language has more than 16 bytes")
	errParts     = errors.New("the program has too many classes and events, or the texts of the introduction are too long")
	errGreeting  = errors.New("malformed connect request")
	errIntroduce = errors.New("malformed introduction")
	errVerdict   = errors.New("malformed answer of the server")
	errDeferral  = errors.New("malformed deferral")
)

// packGreeting returns a greeting as bytes, or an error if its game is too long.
func packGreeting(g *greeting) ([]byte, error) {
	w := bitstream.NewWriter(make([]byte, maxFirstPayload))
	g.serialize(&w.Codec, g.Version)
	if w.Err() != nil {
		return nil, errLongText
	}
	return w.Bytes(), nil
}

// unpackGreeting reads a peer's greeting. own is this side's version.
func unpackGreeting(b []byte, own uint32) (g greeting, err error) {
	r := bitstream.NewReader(b)
	g.serialize(&r.Codec, own)
	if r.Err() != nil || g.Version == own && r.Left() >= 8 {
		return g, errGreeting
	}
	return g, nil
}

// packIntroduction returns an introduction as bytes, or an error if a text is too long or there are
// too many arguments.
func packIntroduction(o *introduction) ([]byte, error) {
	switch {
	case len(o.Args) > maxOfferArgs:
		return nil, errOfferArgs
	case len(o.Language) > maxLanguage:
		return nil, errLanguage
	case len(o.Ticket) > maxTicket:
		return nil, errTicket
	}
	w := bitstream.NewWriter(make([]byte, maxPieces*maxPiece))
	o.serialize(&w.Codec)
	switch {
	case w.Err() != nil && o.Other:
		return nil, errParts
	case w.Err() != nil:
		return nil, errLongText
	}
	return w.Bytes(), nil
}

// unpackIntroduction reads an introduction. other says that it lists what the client has.
func unpackIntroduction(b []byte, other bool) (o introduction, err error) {
	r := bitstream.NewReader(b)
	o.Other = other
	o.serialize(&r.Codec)
	if r.Err() != nil || r.Left() >= 8 {
		return o, errIntroduce
	}
	return o, nil
}

// packGreetingVerdict returns the verdict on a greeting as bytes. It always fits, because the
// caller has limited the length of the refusal.
func packGreetingVerdict(v *verdict) []byte {
	w := bitstream.NewWriter(make([]byte, maxSecondPayload))
	if v.serializeRefusal(&w.Codec) {
		w.Flag(&v.Other)
	}
	if w.Err() != nil {
		panic("BUG: the connect reply is too long: " + w.Err().Error())
	}
	return w.Bytes()
}

func unpackGreetingVerdict(b []byte) (v verdict, err error) {
	r := bitstream.NewReader(b)
	if v.serializeRefusal(&r.Codec) {
		r.Flag(&v.Other)
	}
	if r.Err() != nil {
		return v, errVerdict
	}
	return v, nil
}

// packVerdict returns the verdict on an introduction as bytes. It always fits, because the caller
// has limited the length of each field.
func packVerdict(v *verdict) []byte {
	w := bitstream.NewWriter(make([]byte, maxVerdictPayload))
	v.serialize(&w.Codec)
	if w.Err() != nil {
		panic("BUG: the verdict is too long: " + w.Err().Error())
	}
	return w.Bytes()
}

func unpackVerdict(b []byte) (v verdict, err error) {
	r := bitstream.NewReader(b)
	v.serialize(&r.Codec)
	if r.Err() != nil || r.Left() >= 8 {
		return v, errVerdict
	}
	return v, nil
}

// packDeferral returns the text of a deferral, of at most MaxReasonText bytes, as bytes.
func packDeferral(text string) []byte {
	w := bitstream.NewWriter(make([]byte, maxDeferral))
	handshakeText(&w.Codec, &text, MaxReasonText)
	return w.Bytes()
}

func unpackDeferral(b []byte) (text string, err error) {
	r := bitstream.NewReader(b)
	handshakeText(&r.Codec, &text, MaxReasonText)
	if r.Err() != nil || r.Left() >= 8 {
		return "", errDeferral
	}
	return text, nil
}
