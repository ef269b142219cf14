package bus

import "errors"

// ErrNotEmpty is in the error of a restore into a bucket that has values.
var ErrNotEmpty = errors.New("it must have no values")

// A Group is a set of values that a server follows as a whole.
type Group struct {
	Bucket Bucket
	Name   string // the mod in Shared; bans, mutes, allowed or roles in Lists
}

// A Bucket has the values of one purpose.
type Bucket string

// The buckets.
const (
	Shared Bucket = "shared" // values of mods
	Lists  Bucket = "lists"  // bans, mutes, allowed players and roles
)

// A Revision says which of two values of a key is newer. Revisions compare within an epoch only: a
// bucket that was wiped counts from 1 again, and gets a higher epoch when it is restored.
type Revision uint64

// An Epoch names one life of a bucket. The higher Count is the newer life, and the random ID tells
// apart two lives with the same count.
type Epoch struct {
	Count uint64
	ID    uint64
}

// maxJump is how much higher the next epoch of a bucket can be. A member that writes the highest
// number that there is would leave none for a restore.
const maxJump = 1000

// Follows reports whether an epoch can come after another one. The zero one is that of a server
// that has seen none.
func (e Epoch) Follows(old Epoch) bool {
	return e.Count > old.Count && (old.Count == 0 || e.Count-old.Count <= maxJump)
}

// A Value is what a key has.
type Value struct {
	Key   string
	Data  []byte   // nil: the key has no value; without bytes: the value is not sound (Follow)
	Rev   Revision // 0 of a key that never had a value
	Owner string   // name of the server that wrote it
}

// A Write changes one key if nobody has changed it meanwhile.
type Write struct {
	Group
	Key  string
	Data []byte // nil deletes
	// Base is the revision that the writer saw when it decided, not the newest that this server
	// knows: else the change of another server would be lost between the two. 0: the writer saw no
	// value. The write then happens if the key has none, even if it had one before.
	Base Revision
	// Chained says that the writer saw the result of the write before it of this server to this
	// key, whose outcome was not known then. That outcome stands for Base: if it fails, this one
	// fails.
	Chained bool
}

// MaxWrites is the most writes of a batch, and MaxBatch the most bytes of their data.
const (
	MaxWrites = 999 // an atomic batch of NATS has 1,000 messages, and one is for the bus
	MaxBatch  = 4 << 20
)

// A Batch is writes of which all happen or none.
type Batch struct {
	Number uint64 // of this batch; the writer counts from 1
	Epoch  Epoch  // that of the values which the writer saw
	Writes []Write
}

// Loaded has all values of a group, which stand for what was known of it before. Many values of a
// mod come in parts: no other news of the group are between them.
type Loaded struct {
	Group
	Epoch  Epoch
	Last   Revision // of the newest write to the bucket: below a revision that was seen, it is an older copy
	Values []Value  // by key, without deleted ones
	More   bool     `json:",omitempty"` // the next Loaded of the group has more of them, with the same Epoch and Last
}

// Changed has a value that some server has written; this server too.
type Changed struct {
	Group
	Epoch Epoch
	Value
}

// An Outcome ends a batch. A batch without an answer is not ended: the bus asks until it knows
// whether the batch is there, because it can still land.
type Outcome struct {
	Number   uint64
	Revs     []Revision // of the writes, if they happened
	Conflict bool       // another server was first, or the epoch is another
	Err      string     // a sentence; "" if the writes happened
}
