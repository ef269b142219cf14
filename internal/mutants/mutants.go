// Package mutants tests the tests, for `torclab mutants`. It plants faults in torc's source, one at
// a time, and reports each fault that the tests meant for it do not notice.
//
//	torclab mutants --all          every fault
//	torclab mutants -n 10          ten of them, chosen by the seed of the day
//	torclab mutants NAME...        these
//
// The folder faults has the tables. An entry names the fault, says why it matters, names the tests
// that must fail, and shows the change as a diff shows it. The old lines must occur exactly once in
// the file:
//
//	fault credit-saved-up
//	why   A client that was silent executes all its moves at once.
//	test  ./engine TestCredit
//	file  engine/credit.go
//	-func (k *credit) tick() { k.left = min(k.left+creditPerTick, creditMax) }
//	+func (k *credit) tick() { k.left += creditPerTick }
//
// The source tree stays as it is: the go command reads the changed files through an overlay. A test
// that does not end counts as failed.
//
// Where to read: mutants.go chooses faults and counts the outcomes, fault.go reads the tables,
// trial.go runs the tests of one fault.
package mutants

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/internal/testenv"
)

// Options choose the faults, and say how to try them.
type Options struct {
	Names []string      // these; none is All or Count
	All   bool          // every fault
	Count int           // number of faults to choose by the seed
	List  bool          // print the faults and run nothing
	Seed  uint64        // of the choice; 0 means TORC_SEED_BASE
	Jobs  int           // number of faults that are tried at the same time; 0 is that of the cores
	Limit time.Duration // longest run of the tests of one fault, without their build
}

// ErrSurvived is the error of a fault that no test noticed, or that does not compile.
var ErrSurvived = errors.New("the tests do not notice each fault")

// Run tries the faults of the module of the current folder, and prints a line for each.
func Run(to io.Writer, o Options) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	faults, err := readFaults(filepath.Join(root, "internal", "mutants", "faults"))
	if err != nil {
		return err
	}
	if o.Seed == 0 {
		if o.Seed, err = testenv.SeedBase(); err != nil {
			return err
		}
	}
	chosen, err := choose(faults, o.Names, o.All, o.Count, o.Seed)
	if err != nil {
		return err
	}
	if o.List {
		for _, f := range chosen {
			fmt.Fprintf(to, "%s\n\t%s\n", f.name, f.why)
		}
		return nil
	}
	if o.Count > 0 {
		fmt.Fprintf(to, "%d of %d faults by the seed %d\n", len(chosen), len(faults), o.Seed)
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.NumCPU()
	}
	return run(to, root, chosen, o.Jobs, o.Limit)
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
			return nil, fmt.Errorf("there is no fault %q: --list prints their names", name)
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

// run tries the faults, and prints a line for each.
func run(to io.Writer, root string, faults []fault, jobs int, limit time.Duration) error {
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
		fmt.Fprintf(to, "%-*s  %s\n", width, f.name, v)
	})
	fmt.Fprintf(to, "%d killed, %d survived, %d invalid\n", counts[killed], counts[survived], counts[invalid])
	if counts[killed] < len(faults) {
		return ErrSurvived
	}
	return nil
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
