package seal

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// MaxDifficulty is the highest difficulty that a client accepts. It takes about four
// million hashes: half a second on one core.
const MaxDifficulty = 22

// Puzzle is work that a server under attack demands of its clients. The work is to
// find a number whose hash, together with the nonce and the cookie, begins with
// Difficulty zero bits. Each further bit doubles the work. To check a solution takes
// one hash. The cookie fixes the difficulty, so a client cannot choose an easier one.
type Puzzle struct {
	Nonce      Nonce
	Cookie     Cookie
	Difficulty byte // 0: every number is a solution
}

// Solved reports whether the number is a solution.
func (p *Puzzle) Solved(solution uint64) bool {
	var b [len(p.Nonce) + len(p.Cookie) + 8]byte
	copy(b[:], p.Nonce[:])
	copy(b[len(p.Nonce):], p.Cookie[:])
	binary.LittleEndian.PutUint64(b[len(b)-8:], solution)
	sum := sha256.Sum256(b[:])
	return bits.LeadingZeros64(binary.BigEndian.Uint64(sum[:8])) >= int(p.Difficulty)
}

// Search tries the n numbers from first on. It returns the first solution among them.
func (p *Puzzle) Search(first uint64, n int) (solution uint64, found bool) {
	for i := first; i < first+uint64(n); i++ {
		if p.Solved(i) {
			return i, true
		}
	}
	return 0, false
}
