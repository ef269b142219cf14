package bus

import "time"

// A Bus joins a server to its fleet. All calls come from the goroutine of the server's loop, and
// none waits but Close.
type Bus interface {
	// Do queues an order.
	Do(Order)
	// Take returns the news since the last call, in the order in which they came. Values that are
	// too many come later: the news of a group stay in order, with the outcomes of its batches, and
	// so do the other news. The caller keeps them.
	Take() []News
	// Close sends what is queued, waits for the outcomes for at most this long, and ends. The
	// outcomes that it waited for are news: Take still returns them.
	Close(most time.Duration) error
}

// An Order is one of Present, Send, Ask, Answer, Follow and Commit.
type Order interface{ order() }

// Present tells the fleet about this server. A server that has not told anything for 6 s is gone,
// so the loop repeats it each 2 s, and a loop that hangs is not present.
type Present struct{ Server }

// Send sends a message to the same mod on all other servers, or on one. It is lost if nobody
// listens.
type Send struct {
	To string // name of a server; "" for all others
	Note
}

// Ask asks the same mod on another server. One Reply with the number follows, an answer or an
// error: after about AskTime in which the process runs, at most.
type Ask struct {
	To     string // name of a server
	Number uint64 // of this question; the asker counts
	Note
}

// Answer answers a question (Message.Question) of another server.
type Answer struct {
	To     string // name of the server that asked
	Number uint64 // of its question
	Value  []byte
	Err    string // "" for an answer
}

// Follow asks for all values of a Group (Loaded), and for each change from then on. It stays in
// force when the line is lost and comes back: all values follow again then.
type Follow struct {
	Group
	// Epoch and Newest are the life of the bucket, and the newest revision in it, that this server
	// has seen in earlier runs; zero: none. A bus that can waits for them, because a leader that
	// has just been elected can lag: what comes must not look as if the fleet had lost values.
	Epoch  Epoch
	Newest Revision
	// Sound reports whether data is of the kind that the group has; nil: all data is. The bus calls
	// it on its own goroutines, because data of strangers can be long. Data that is not sound comes
	// without bytes.
	Sound func(data []byte) bool
}

// Commit writes values: all of them or none.
type Commit struct{ Batch }

func (Present) order() {}
func (Send) order()    {}
func (Ask) order()     {}
func (Answer) order()  {}
func (Follow) order()  {}
func (Commit) order()  {}

// A Note is what one mod says to itself on another server.
type Note struct {
	Mod, Topic string
	Value      []byte // encoded as stored values are, at most MaxNote bytes
}

const (
	// MaxNote is the most that a message, a question or an answer can carry, in bytes.
	MaxNote = 16 << 10
	// AskTime is how long a question waits for its answer.
	AskTime = 2 * time.Second
	// PresentEvery is how often a server tells the fleet about itself, and GoneAfter how long it is
	// believed to live after the last time.
	PresentEvery, GoneAfter = 2 * time.Second, 6 * time.Second
)

// News is one thing that has happened: one field is set. A journal has it as JSON.
type News struct {
	Line    *Line    `json:",omitempty"`
	Servers *Servers `json:",omitempty"`
	Message *Message `json:",omitempty"`
	Reply   *Reply   `json:",omitempty"`
	Loaded  *Loaded  `json:",omitempty"`
	Changed *Changed `json:",omitempty"`
	Outcome *Outcome `json:",omitempty"`
}

// Line says that the line to the fleet has come or gone, or what is wrong with it.
type Line struct {
	Up   bool
	Warn string // a sentence for the operator; "" for none
	// Sync says when the fleet has an acknowledged value on its disks: "always" (before the
	// acknowledgement), how long after it, as "2m0s", or "" if the fleet does not tell.
	Sync string
}

// Servers are the other servers that live, by name. They come whole after each change.
type Servers struct{ List []Server }

// A Message came from another server.
type Message struct {
	From     string // name of the server
	Question bool   // it waits for an Answer with this number
	Number   uint64
	Note
}

// A Reply ends a question of this server.
type Reply struct {
	Number uint64
	Value  []byte
	Err    string // "" for an answer
}
