package seal

import (
	"crypto/sha256"
	"encoding/binary"
)

// TestPairs returns the two ends of one session whose keys follow from seed.
// It exists for the tests of other packages, which need a session without a
// handshake; a session made this way is secret from nobody.
func TestPairs(seed uint64) (a, b *Pair) {
	var text [9]byte
	binary.LittleEndian.PutUint64(text[:], seed)
	there := sha256.Sum256(text[:])
	text[8] = 1
	back := sha256.Sum256(text[:])
	return newPair(there, back), newPair(back, there)
}
