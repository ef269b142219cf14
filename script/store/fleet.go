package store

// Fleet keeps the sets that the servers of a fleet share. The goroutine of the scripts calls it,
// and only Load may wait for a disk. Numbers and results depend on nothing but what News has
// returned, so that a journal replays.
type Fleet interface {
	// Name returns the name of this server.
	Name() string
	// Gone reports whether a server has been away from the fleet for so long that its claims have
	// ended.
	Gone(server string) bool
	// Load returns the newest known values of a set, by key, and the writes that another run of
	// this server could not send. From then on News has what becomes of the set. A set that is
	// followed already begins anew.
	Load(set string) (values []Value, unsent []Change, err error)
	// Commit queues changes of one set, of which all happen or none, and returns the number of the
	// batch.
	Commit(set string, changes []Change) uint64
	// News returns what has happened since the last call, in order. All data in it is Sound, or has
	// no bytes: looking at data of strangers takes long, so the Fleet does it elsewhere.
	News() []News
}

// A Value is what a key has in the fleet.
type Value struct {
	Key   string
	Data  []byte // as in a Change; nil: the key has no value; without bytes: it was not Sound
	Rev   uint64 // the higher one is the newer one
	Owner string // name of the server that wrote it
}

// A Change changes a key if it still has the revision Base.
type Change struct {
	Key  string
	Data []byte // a stored value, or a claim (codeClaim); nil deletes
	// Base is the revision that the mod saw; 0: it saw no value.
	Base uint64
	// Chained says that the mod saw the result of the change before it, whose outcome is not known.
	// That outcome stands for Base.
	Chained bool
}

// News is one thing that has happened to a set.
type News struct {
	Set string
	// Values are values that some server has written; this server too.
	Values []Value
	// Part says that Values are some of all that the set has, in order of the keys. The next news
	// of the set have more of them, up to a Whole.
	Part bool
	// Whole says that Values are all that the set has, with those of the Parts before it. The mod
	// sees them together. The first of them lets the changes of this server go.
	Whole bool
	// Anew says, with Part and Whole, that the revisions begin anew: the fleet has lost its values
	// and got others.
	Anew bool
	// Held says that changes wait from now on, until the next Whole.
	Held bool
	// Outcome ends a batch; nil: none has ended.
	Outcome *Ended
}

// Ended is the outcome of a batch of a Fleet.
type Ended struct {
	Batch    uint64
	Revs     []uint64 // of the changes, if they happened
	Conflict bool     // another server was first
	Err      string   // a sentence; "" if the changes happened
}

const (
	// MaxBatch is the most changes of a batch of a Fleet, and MaxBatchBytes the most bytes of their
	// keys and data.
	MaxBatch      = 999
	MaxBatchBytes = 4 << 20
)
