package prompt

import "time"

// patience is how long a key waits for the console's owner. A tick takes 32 ms;
// an owner that is busy for longer costs the completion, not the prompt.
const patience = 250 * time.Millisecond

// A Console answers questions; console.Console does.
type Console interface {
	Complete(line string, pos int) (candidates []string, start int)
	Secret(line string) bool
}

// An Ask is a question for the goroutine that owns the console.
type Ask struct {
	question func(c Console)
	done     chan struct{}
}

// Answer puts the question to c. It does not block.
func (a Ask) Answer(c Console) {
	a.question(c)
	close(a.done)
}

// ask puts a question to the owner and waits for the answer: a while, and no
// longer than until closed. It reports whether there was one; without one
// question may still run later, so its results must be read only after true.
func ask(asks chan<- Ask, closed <-chan struct{}, question func(c Console)) bool {
	a := Ask{question, make(chan struct{})}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case asks <- a:
	case <-timer.C:
		return false
	case <-closed:
		return false
	}
	select {
	case <-a.done:
		return true
	case <-timer.C:
		return false
	case <-closed:
		return false
	}
}
