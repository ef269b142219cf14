package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torclab/internal/attack"
	"github.com/torc-engine/torc/cmd/torclab/internal/bench"
	"github.com/torc-engine/torc/cmd/torclab/internal/picture"
	"github.com/torc-engine/torc/internal/mutants"
	"github.com/torc-engine/torc/netcore"
)

// version is the version of the program. A release sets it.
var version = "0.1.0"

// tool is a subcommand of torclab.
type tool struct {
	name, params, help string
	options            func() options // new ones, with their defaults
}

// options are the options of one subcommand.
type options interface {
	Declare(s *flags.Set)
	run(s *flags.Set, words []string, stdout io.Writer) error
}

// tools are the subcommands, in the order of the help.
var tools = []tool{
	{"bench", "NAME [ROW]… [--json] [--seconds N]", "measure a workload on this machine", func() options { return new(benchOptions) }},
	{"attack", "[IP:PORT[#KEY]] [--row NAME]…", "play attacks against a server on this machine", func() options { return new(attackOptions) }},
	{"mutants", "[NAME]… [--all] [-n N]", "plant faults in torc's source, and check that the tests notice each", func() options { return new(mutantOptions) }},
	{"picture", "[--out FILE]", "play a short match and write a client's view of it as SVG", func() options { return new(pictureOptions) }},
	{"version", "", "print the versions of torclab, of its protocol and of Go", func() options { return new(versionOptions) }},
}

// noMore returns an error if there are words that the subcommand does not take.
func noMore(s *flags.Set, words []string) error {
	if len(words) > 0 {
		return s.Unexpected(words[0])
	}
	return nil
}

type benchOptions struct{ bench.Options }

func (o *benchOptions) run(s *flags.Set, words []string, stdout io.Writer) error {
	w, words, err := o.Take(words)
	if err == nil {
		err = noMore(s, words)
	}
	if err != nil {
		return err
	}
	return w.Print(stdout, o.Options)
}

type attackOptions struct{ attack.Options }

func (o *attackOptions) run(s *flags.Set, words []string, stdout io.Writer) error {
	if len(words) > 0 {
		o.Server, words = words[0], words[1:]
	}
	if err := noMore(s, words); err != nil {
		return err
	}
	return o.attack(stdout)
}

// attack plays the rows against the program torc, which it builds if there is none.
func (o *attackOptions) attack(stdout io.Writer) error {
	signal.Ignore(syscall.SIGPIPE) // a closed output is an error of a write, after which the server ends
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if o.Torc == "" && o.Server == "" {
		path, remove, err := buildTorc(ctx)
		if err != nil {
			return err
		}
		defer remove()
		o.Torc = path
	}
	return attack.Run(ctx, stdout, o.Options)
}

type mutantOptions struct{ mutants.Options }

// Declare declares the flags of torclab mutants.
func (o *mutantOptions) Declare(s *flags.Set) {
	s.BoolVar(&o.List, "list", false, "print the faults and run nothing")
	s.BoolVar(&o.All, "all", false, "try every fault")
	s.Var(flags.Count{To: &o.Count, Lo: 1, Hi: 10_000}, "n", "`N`: number of faults to choose by the seed")
	s.Uint64Var(&o.Seed, "seed", 0, "`N`: seed of the choice (TORC_SEED_BASE)")
	s.Var(flags.Count{To: &o.Jobs, Lo: 1, Hi: 1000}, "jobs", "`N`: number of faults that are tried at the same time (the cores)")
	s.DurationVar(&o.Limit, "timeout", 3*time.Minute, "`DURATION`: longest run of the tests of one fault, without their build (3m)")
}

func (o *mutantOptions) run(_ *flags.Set, words []string, stdout io.Writer) error {
	if o.Names = words; len(words) == 0 && !o.List && !o.All && o.Count == 0 {
		return flags.Usagef("torclab mutants needs the names of faults, --all, -n N or --list")
	}
	return mutants.Run(stdout, o.Options)
}

type pictureOptions struct{ picture.Options }

func (o *pictureOptions) run(s *flags.Set, words []string, stdout io.Writer) error {
	if err := noMore(s, words); err != nil {
		return err
	}
	return o.Run(stdout)
}

type versionOptions struct{}

// Declare declares no flag.
func (*versionOptions) Declare(*flags.Set) {}

func (*versionOptions) run(s *flags.Set, words []string, stdout io.Writer) error {
	if err := noMore(s, words); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "torclab %s, protocol %d, %s\n", version, netcore.ProtocolVersion, runtime.Version())
	return err
}
