package store

import (
	"encoding/binary"
	"errors"
)

// # Claims
//
// A claim lets one server alone change a key, until it releases the key, ends, or has been away
// from the fleet for 6 s. The claim is no record of its own: the data of the key names the holder
// in front of the value. The fleet compares the revision of the key before it writes, so the key is
// a register with compare-and-set, and this follows:
//
//   - There are never two holders. Each revision of a key names at most one.
//   - A server becomes the holder by a write that was compared with a revision without a holder, or
//     with one whose holder was gone when the server decided. The first of two such writes makes a
//     new revision, so the second one fails. Such a write can happen after the holder is back: the
//     holder then learns of it as of any takeover.
//   - A late write of a former holder fails, however long it was on its way: each takeover is a
//     write of the key, and the late write was compared with a revision before it. The same holds
//     for a write of any server that had not seen the claim.
//   - A server that has seen the claim of another one does not send its put.
//
// A server without a line does not learn that another one took its claim over. It believes in its
// claim until the line is back, but none of its puts happens. So a mod must take the done(true) of
// a put for the proof, and not the claim.
//
// The name of the holder is enough. Another run of the same server finds its name in the data, and
// has no claim in memory: it releases the key. If a late write of the former run arrives after that
// look, it fails or is seen as the next change, and is released too.

// codeClaim is the first byte of data with a claim: the length of the name of the holder, its name,
// and the stored value or nothing follow.
const codeClaim = 0

// maxHolder is the longest name of a server in bytes.
const maxHolder = 32

// errForeign reports data that no torc writes.
var errForeign = errors.New("the value of another server is damaged")

// Claimed returns the data of a key with a holder. Without one it is the value.
func Claimed(holder string, value []byte) []byte {
	if holder == "" {
		return value
	}
	b := append(make([]byte, 0, 2+len(holder)+len(value)), codeClaim, byte(len(holder)))
	return append(append(b, holder...), value...)
}

// ParseData returns the holder and the value of data. It trusts none of them. A value in a newer
// format counts: only a newer torc can read it.
func ParseData(data []byte) (holder string, value []byte, err error) {
	holder, value, err = splitData(data)
	if err != nil || value == nil {
		return holder, nil, err
	}
	if _, err := Decode(nil, value); errors.Is(err, errDamaged) {
		return "", nil, errForeign
	}
	return holder, value, nil
}

// Sound reports whether data is what a server of the fleet can have written.
func Sound(data []byte) bool {
	_, _, err := ParseData(data)
	return err == nil
}

// splitData is ParseData for data whose value was looked at before. It costs the same for short and
// long ones.
func splitData(data []byte) (holder string, value []byte, err error) {
	if len(data) > 0 && data[0] == codeClaim {
		size, n := binary.Uvarint(data[1:])
		if n != 1 || size < 1 || size > maxHolder || int(size) > len(data)-2 {
			return "", nil, errForeign
		}
		holder, data = string(data[2:2+size]), data[2+size:]
		if len(data) == 0 {
			return holder, nil, nil
		}
	}
	if len(data) > maxStoredValue || len(data) == 0 || data[0] == codeClaim {
		return "", nil, errForeign
	}
	return holder, data, nil
}
