package nodetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// factor is one condition of a run, with the values that it can have.
type factor struct {
	name   string
	levels []string
}

// factors are the conditions of a run. The first levels are those of a perfect system.
var factors = []factor{
	{"storm", []string{"8s", "14s", "24s"}},
	{"players", []string{"2", "1", "3", "5"}},
	{"game", []string{"probe", "deathmatch", "ctf"}},
	{"loss", []string{"0", "0.01", "0.05", "0.1", "0.2", "0.3", "0.5"}},
	{"burst", []string{"0", "3", "10", "33"}},
	{"dup", []string{"0", "0.01", "0.1"}},
	{"reorder", []string{"0", "0.02", "0.3"}},
	{"jitter", []string{"0s", "20ms", "100ms", "200ms"}},
	{"corrupt", []string{"0", "0.001", "0.01"}},
	{"delay", []string{"0s", "15ms", "50ms", "125ms", "300ms"}},
	{"bandwidth", []string{"0", "64000", "16000", "2000"}},
	{"mtu", []string{"0", "1200", "512"}},
	{"asymmetry", []string{"both", "up", "down"}},
	{"netrate", []string{"default", "10x200", "20x600", "125x1200"}},
	{"blackout", []string{"none", "1s", "5s", "29s"}},
	{"clock", []string{"steady", "drift", "jump", "pause", "date"}},
	{"churn", []string{"none", "leave", "kill", "often"}},
	{"rebind", []string{"none", "port", "often"}},
	{"operate", []string{"none", "reload", "mission", "restart", "crash", "mixed"}},
	{"law", []string{"none", "ban", "banip", "role", "kick", "mixed"}},
	{"hostile", []string{"none", "noise", "replay", "mutate", "flood"}},
	{"store", []string{"fast", "slow", "faulty"}},
}

// conditionRows is a covering array: for each two factors and each two of their levels, some row
// has both. Each row has the number of a level for each factor.
var conditionRows = sync.OnceValue(func() (rows [][]int) {
	random := rand.New(rand.NewPCG(1, 2))
	missing := map[pair]bool{}
	for a := range factors {
		for b := a + 1; b < len(factors); b++ {
			for x := range factors[a].levels {
				for y := range factors[b].levels {
					missing[pair{a, x, b, y}] = true
				}
			}
		}
	}
	for len(missing) > 0 {
		row := bestRow(missing, random)
		for a := range row {
			for b := a + 1; b < len(row); b++ {
				delete(missing, pair{a, row[a], b, row[b]})
			}
		}
		rows = append(rows, row)
	}
	return rows
})

// pair is two factors with their levels, the earlier factor first.
type pair struct{ a, x, b, y int }

// bestRow returns the row of some random ones that has most of the missing pairs.
func bestRow(missing map[pair]bool, random *rand.Rand) (best []int) {
	most := -1
	for range 12 {
		row, n := greedyRow(missing, random)
		if n > most {
			best, most = row, n
		}
	}
	return best
}

// greedyRow chooses the levels of the factors one after the other, in a random order. gain is the
// number of missing pairs in the row.
func greedyRow(missing map[pair]bool, random *rand.Rand) (row []int, gain int) {
	row = make([]int, len(factors))
	var chosen []int
	for _, f := range random.Perm(len(factors)) {
		most := -1
		for _, level := range random.Perm(len(factors[f].levels)) {
			n := 0
			for _, g := range chosen {
				p := pair{f, level, g, row[g]}
				if g < f {
					p = pair{g, row[g], f, level}
				}
				if missing[p] {
					n++
				}
			}
			if n > most {
				most, row[f] = n, level
			}
		}
		gain += most
		chosen = append(chosen, f)
	}
	return row, gain
}

// conditions adds the events of a factor to the plan.
func (p *planner) conditions(f factor, level string) {
	if f.name == "storm" {
		p.storm, _ = time.ParseDuration(level)
		p.storm += time.Duration(p.random.Int64N(int64(2 * time.Second)))
		p.add(p.storm, "calm", 0, "")
		return
	}
	if f.name == "players" {
		_, _ = fmt.Sscan(level, &p.players)
	}
	if level == f.levels[0] && f.name != "players" && f.name != "game" {
		return
	}
	switch f.name {
	case "blackout":
		p.add(p.when(), "blackout", 0, level)
	case "clock":
		p.clocks(level)
	case "churn":
		p.churn(level)
	case "rebind":
		for range map[string]int{"port": 1, "often": 6}[level] {
			p.add(p.when(), "rebind", p.who(), []string{"port", "ip"}[p.random.IntN(2)])
		}
	case "operate":
		p.operate(level)
	case "law":
		p.law(level)
	case "hostile":
		p.add(0, "hostile", 0, level)
	default:
		p.add(0, f.name, 0, level)
	}
}

func (p *planner) clocks(level string) {
	anybody := func() int { return p.random.IntN(p.players + 1) }
	switch level {
	case "drift":
		for i := range p.players + 1 {
			p.add(0, "drift", i, fmt.Sprint(p.random.IntN(1001)-500))
		}
	case "jump":
		for range 3 {
			p.add(p.when(), "jump", anybody(), fmt.Sprint(p.random.IntN(4000), "ms"))
		}
	case "pause":
		for range 4 {
			p.add(p.when(), "pause", anybody(), fmt.Sprint(50+p.random.IntN(3000), "ms"))
		}
	case "date":
		for range 3 {
			p.add(p.when(), "date", 0, fmt.Sprint(p.random.IntN(200_000)-100_000, "s"))
		}
	}
}

func (p *planner) churn(level string) {
	switch level {
	case "often":
		for at := 2 * time.Second; at < p.storm; at += time.Second {
			p.add(at, []string{"leave", "kill"}[p.random.IntN(2)], p.who(), "")
		}
	default:
		p.some(2, level, "")
	}
}

// operate adds what an operator does with mods, missions and the process.
func (p *planner) operate(level string) {
	each := []string{level}
	if level == "mixed" {
		each = []string{"reload", "mission", "restart", "reload", "mission", "crash"}
		p.random.Shuffle(len(each), func(i, j int) { each[i], each[j] = each[j], each[i] })
	}
	for _, what := range each {
		for range 1 + p.random.IntN(2) {
			p.add(p.when(), what, 0, "")
		}
	}
}

// law adds bans, roles and kicks.
func (p *planner) law(level string) {
	each := strings.Fields(level)
	if level == "mixed" {
		each = []string{"ban", "banip", "role", "kick"}
	}
	for _, what := range each {
		for range 1 + p.random.IntN(3) {
			at, who, arg := p.when(), p.who(), ""
			if what == "banip" && p.random.IntN(2) == 0 {
				arg = "next" // and then the player moves there
				p.add(at+time.Second, "rebind", who, "ip")
			}
			p.add(at, what, who, arg)
			if what != "kick" && p.random.IntN(2) == 0 {
				p.add(at+time.Duration(p.random.Int64N(int64(5*time.Second))), "un"+what, who, "")
			}
		}
	}
}
