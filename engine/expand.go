package engine

import "github.com/torc-engine/torc/engine/sim"

// Limits for the result of %n expansion, in bytes. Longer results are cut, so that a packet with
// tags that refer to each other stays cheap.
const (
	maxExpandedArg  = 1024
	maxExpandedCall = 8 << 10
)

// An expander replaces %1…%9 in the tags of one call by the arguments that follow the tag. It works
// from the last argument to the first, so that a tag inside a tag is already expanded when it is
// inserted. References only point forward, so the work is linear in the size of the result.
type expander struct {
	argTexts []string // the text of each argument already visited
	out      []byte
	total    int
	cut      int
}

// expandTags expands every tag among args in place. It returns the number of results that were cut.
// names supplies object names.
func (e *expander) expandTags(args []sim.Value, names sim.Names) (cut int) {
	e.total, e.cut = 0, 0
	e.argTexts = e.argTexts[:0]
	for range args {
		e.argTexts = append(e.argTexts, "")
	}
	for i := len(args) - 1; i >= 0; i-- {
		v := args[i]
		if v.Kind() != sim.KindTag || v.Expanded() {
			e.argTexts[i] = v.Print(names)
			continue
		}
		e.argTexts[i] = e.expand(v.Text(), i)
		args[i] = sim.Expanded(e.argTexts[i])
	}
	return e.cut
}

// expand returns the text of the tag at position i with its references replaced.
func (e *expander) expand(tag string, i int) string {
	e.out = sim.Substitute(e.out[:0], tag, maxExpandedArg, func(n int) string {
		if i+n < len(e.argTexts) {
			return e.argTexts[i+n]
		}
		return ""
	})
	return e.clip()
}

// clip cuts the result to the limits of the argument and of the whole call.
func (e *expander) clip() string {
	limit := min(maxExpandedArg, maxExpandedCall-e.total)
	if len(e.out) > limit {
		e.out = e.out[:limit]
		e.cut++
	}
	e.total += len(e.out)
	return string(e.out)
}
