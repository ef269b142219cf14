package nodetest

import (
	"bufio"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Plan is all that one run of the simulation is given. The same plan gives the same run.
type Plan struct {
	Seed   uint64 // of everything random in the run
	Events []Event
}

// An Event happens at a time of the network. Conditions are events at time 0.
type Event struct {
	At   time.Duration
	What string // a key of the table actions
	Who  int    // number of a player; 0 is the server or everybody
	Arg  string
}

func (e Event) String() string { return fmt.Sprintf("%v %s %d %s", e.At, e.What, e.Who, e.Arg) }

// String returns the plan in the form that ParsePlan reads.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d\n", p.Seed)
	for _, e := range p.Events {
		b.WriteString(strings.TrimSpace(e.String()) + "\n")
	}
	return b.String()
}

// ParsePlan reads a plan: a line "seed N", then a line "TIME WHAT WHO ARG" for each event.
func ParsePlan(text string) (p Plan, err error) {
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		words := append(strings.Fields(lines.Text()), "", "", "")
		switch {
		case words[0] == "":
			continue
		case n == 1:
			_, err = fmt.Sscanf(lines.Text(), "seed %d", &p.Seed)
		default:
			e := Event{What: words[1], Arg: words[3]}
			if actions[e.What] == nil {
				return p, fmt.Errorf("line %d: no event is called %q", n, e.What)
			}
			if e.At, err = time.ParseDuration(words[0]); err == nil {
				e.Who, err = strconv.Atoi(words[2])
			}
			p.Events = append(p.Events, e)
		}
		if err != nil {
			return p, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return p, nil
}

// the lengths of the two parts of a run.
const (
	shortestStorm = 8 * time.Second
	longestStorm  = 24 * time.Second
)

// NewPlan returns the plan of a seed: a row of the covering array, and random events.
func NewPlan(seed uint64) Plan {
	p := planner{Plan: Plan{Seed: seed}, random: rand.New(rand.NewPCG(seed, 0x706c616e))}
	rows := conditionRows()
	row := rows[seed%uint64(len(rows))]
	for i, f := range factors {
		p.conditions(f, f.levels[row[i]])
	}
	slices.SortStableFunc(p.Events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return p.Plan
}

// planner makes a Plan.
type planner struct {
	Plan
	random  *rand.Rand
	players int
	storm   time.Duration
}

func (p *planner) add(at time.Duration, what string, who int, arg string) {
	p.Events = append(p.Events, Event{at.Round(time.Millisecond), what, who, arg})
}

// when returns a random time of the storm.
func (p *planner) when() time.Duration {
	return 2*time.Second + time.Duration(p.random.Int64N(int64(p.storm-2*time.Second)))
}

// who returns a random player.
func (p *planner) who() int { return 1 + p.random.IntN(p.players) }

// some adds an event of each kind to the plan n times.
func (p *planner) some(n int, what, arg string) {
	for range n {
		p.add(p.when(), what, p.who(), arg)
	}
}
