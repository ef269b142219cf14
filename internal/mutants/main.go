// Command mutants tests the tests. It plants faults in torc's source, one at a time, and reports each
// fault that the tests meant for it do not notice.
//
//	go run ./internal/mutants -all          every fault
//	go run ./internal/mutants -n 10         ten of them, chosen by the seed of the day
//	go run ./internal/mutants NAME...       these
//
// The folder faults has the tables. An entry names the fault, says why it matters, names the tests that
// must fail, and shows the change as a diff shows it. The old lines must occur exactly once in the file:
//
//	fault credit-never-spent
//	why   A move costs no credit, so a client with a fast clock moves faster than others.
//	test  ./netcore/move TestCredit
//	file  netcore/move/receive.go
//	-	r.credit -= cost
//	+	r.credit -= 0
//
// The source tree stays as it is: the go command reads the changed files through an overlay. A test that
// does not end counts as failed. The exit status is 1 if a fault survives or does not compile.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/internal/testenv"
)

func main() {
	list := flag.Bool("list", false, "print the faults and run nothing")
	all := flag.Bool("all", false, "try every fault")
	count := flag.Int("n", 0, "number of faults to choose by the seed")
	seed := flag.Uint64("seed", 0, "seed of the choice; 0 means TORC_SEED_BASE")
	jobs := flag.Int("jobs", runtime.NumCPU(), "number of faults that are tried at the same time")
	limit := flag.Duration("timeout", 3*time.Minute, "longest run of the tests of one fault, without their build")
	flag.Parse()
	root, err := moduleRoot()
	check(err)
	faults, err := readFaults(filepath.Join(root, "internal", "mutants", "faults"))
	check(err)
	if *seed == 0 {
		*seed, err = testenv.SeedBase()
		check(err)
	}
	if !*list && !*all && *count <= 0 && flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	chosen, err := choose(faults, flag.Args(), *all, *count, *seed)
	check(err)
	if *list {
		for _, f := range chosen {
			fmt.Printf("%s\n\t%s\n", f.name, f.why)
		}
		return
	}
	if *count > 0 {
		fmt.Printf("%d of %d faults by the seed %d\n", len(chosen), len(faults), *seed)
	}
	os.Exit(run(root, chosen, *jobs, *limit))
}

// check ends the program with a message if there is an error.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

// moduleRoot returns the folder of the module's go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// choose returns the faults with the given names, or else count of them by the seed, or else all.
func choose(faults []fault, names []string, all bool, count int, seed uint64) (chosen []fault, err error) {
	for _, name := range names {
		i := slices.IndexFunc(faults, func(f fault) bool { return f.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no fault %q: -list prints their names", name)
		}
		chosen = append(chosen, faults[i])
	}
	if len(names) > 0 {
		return chosen, nil
	}
	if all || count <= 0 || count >= len(faults) {
		return faults, nil
	}
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(len(faults))[:count] {
		chosen = append(chosen, faults[i])
	}
	return chosen, nil
}

// run tries the faults, prints a line for each, and returns the exit status.
func run(root string, faults []fault, jobs int, limit time.Duration) (status int) {
	width, counts := 0, map[outcome]int{}
	for _, f := range faults {
		width = max(width, len(f.name))
	}
	var printing sync.Mutex
	each(faults, max(jobs, 1), func(f fault) {
		v := try(root, f, limit)
		printing.Lock()
		defer printing.Unlock()
		counts[v.outcome]++
		fmt.Printf("%-*s  %s\n", width, f.name, v)
	})
	fmt.Printf("%d killed, %d survived, %d invalid\n", counts[killed], counts[survived], counts[invalid])
	if counts[killed] < len(faults) {
		return 1
	}
	return 0
}

// each calls do for every fault, with several calls at the same time.
func each(faults []fault, jobs int, do func(fault)) {
	queue := make(chan fault)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for f := range queue {
				do(f)
			}
		})
	}
	for _, f := range faults {
		queue <- f
	}
	close(queue)
	workers.Wait()
}
