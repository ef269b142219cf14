package prompt

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

// Run runs the question on c. It does not block longer than c does.
func (a Query) Run(c Completer) {
	a.question(c)
	close(a.done)
}

// A completion is a Tab whose answer is awaited or has come. It belongs to readline's loop.
type completion struct {
	candidates []string
	start      int           // where the completed word begins, in bytes
	done       chan struct{} // closed when the two fields above hold the answer
	canceled   chan struct{} // closed when nobody waits any more
}

// complete asks the owner for the completions of a line. It does not wait. The answer wakes the
// loop, however late it comes.
func (t *Terminal) complete(line string, pos int) *completion {
	c := &completion{done: make(chan struct{}), canceled: make(chan struct{})}
	q := Query{func(con Completer) { c.candidates, c.start = con.Complete(line, pos) }, make(chan struct{})}
	go func() {
		select {
		case t.asks <- q:
		case <-c.canceled:
			return
		case <-t.closing:
			return
		}
		select {
		case <-q.done:
			close(c.done)
			t.keyboard.poke()
		case <-t.closing:
		}
	}()
	return c
}

// answered reports whether the answer has come.
func (c *completion) answered() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}
