package seal

import (
	"crypto/sha256"
	"encoding/binary"
)

// TestPairs returns the two ends of one session. The keys are derived from seed,
// so the session is not secret. It exists for tests of other packages that need
// a session without a handshake.
func TestPairs(seed uint64) (a, b *Pair) {
	var text [9]byte
	binary.LittleEndian.PutUint64(text[:], seed)
	there := sha256.Sum256(text[:])
	text[8] = 1
	back := sha256.Sum256(text[:])
	return newPair(there, back), newPair(back, there)
}
