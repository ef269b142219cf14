package natsfleet

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
)

// encoder appends fields to bytes.
type encoder []byte

func (e *encoder) byte(b byte)     { *e = append(*e, b) }
func (e *encoder) number(n uint64) { *e = binary.BigEndian.AppendUint64(*e, n) }
func (e *encoder) text(s string)   { e.bytes([]byte(s)) }

func (e *encoder) bytes(b []byte) {
	*e = binary.BigEndian.AppendUint32(*e, uint32(len(b)))
	*e = append(*e, b...)
}

var errForeign = errors.New("not written by torc, or by a newer one")

// decoder reads fields of a stranger. After the first mistake all fields are zero.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) take(n int) []byte {
	if d.err != nil || n > len(d.rest) {
		d.err = errForeign
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) number() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// count reads a number of things that are there or follow.
func (d *decoder) count(most int) int {
	n := d.number()
	d.check(n <= uint64(most))
	if d.err != nil {
		return 0
	}
	return int(n)
}

// bytes returns a copy of at most this many bytes.
func (d *decoder) bytes(most int) []byte {
	b := d.take(4)
	if b == nil {
		return nil
	}
	n := binary.BigEndian.Uint32(b)
	d.check(uint64(n) <= uint64(most))
	if d.err != nil {
		return nil
	}
	return append([]byte{}, d.take(int(n))...)
}

func (d *decoder) text(most int) string { return string(d.bytes(most)) }

func (d *decoder) check(right bool) {
	if !right && d.err == nil {
		d.err = errForeign
	}
}

// version begins each message. Fields that a later version appends are ignored by this one.
const version = 1

func (d *decoder) version() { d.check(d.byte() == version) }

// cut returns the first characters of a text that have at most so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// token is the form in which any text can stand in a subject.
var token = base64.RawURLEncoding.Strict()

const (
	maxKey    = 256 // bytes of a key
	epochKey  = "-epoch"
	recordKey = "-by." // and the name of a server
)

// keys are the subjects of a bucket.
type keys struct{ name string }

func (k keys) stream() string           { return "KV_" + k.name }
func (k keys) subject(at string) string { return "$KV." + k.name + "." + at }
func (k keys) all() string              { return k.subject(">") }
func (k keys) group(name string) string { return k.subject(name + ".*") }
func (k keys) value(group, key string) string {
	return k.subject(group + "." + token.EncodeToString([]byte(key)))
}

// key returns the key of a subject in a group.
func (k keys) key(group, subject string) (string, error) {
	text, ok := strings.CutPrefix(subject, k.subject(group+"."))
	if !ok || len(text) > token.EncodedLen(maxKey) {
		return "", errForeign
	}
	b, err := token.DecodeString(text)
	if err != nil || len(b) == 0 || len(b) > maxKey {
		return "", errForeign
	}
	return string(b), nil
}

const maxName = 32
