package prompt

import "time"

// answerTimeout is the default of SourceOptions.Timeout. A tick takes 32 ms. If the owner
// is busy for longer, the prompt gives up the completion and goes on.
const answerTimeout = 250 * time.Millisecond

// A Completer answers questions of the prompt. console.Console implements it.
type Completer interface {
	Complete(line string, pos int) (candidates []string, start int)
	Secret(line string) bool
}

// A Query is a question for the goroutine that owns the console.
type Query struct {
	question func(c Completer)
	done     chan struct{}
}

// Run runs the question on c. It does not block.
func (a Query) Run(c Completer) {
	a.question(c)
	close(a.done)
}

// query sends a question to the owner and waits for the answer, for at most
// timeout or until closed. It reports whether the owner answered. If it returns
// false, question can still run later, so the caller must not read its results.
func query(asks chan<- Query, closed <-chan struct{}, timeout time.Duration, question func(c Completer)) bool {
	a := Query{question, make(chan struct{})}
	timer := time.NewTimer(timeout)
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
