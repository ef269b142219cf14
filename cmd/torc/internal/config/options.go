package config

import (
	"log/slog"
	"regexp"
	"time"
)

// Options is all a subcommand can be told. Fields that a subcommand has no flag for keep their zero value.
type Options struct {
	Subcommand string

	// serve, and the server's half of play
	Listen     string
	Metrics    string // HOST:PORT to answer scrapes at; "" is nowhere
	Mods       []string
	ModsDir    string
	Mission    string
	MaxClients int
	Strict     bool
	Bots       *int // nil is what the mods and the file say

	// join, swarm, and the client's half of play
	Address   string // HOST:PORT, maybe followed by #KEY
	Args      []string
	AcceptKey string
	Timeout   time.Duration
	Bot       string        // idle, wander or a file, which is among the Scripts, too; "" is idle
	Count     int           // clients of a swarm
	For       time.Duration // that a swarm stays; 0 is until something else ends it

	// bench
	Bench   string // the name of a workload
	JSON    bool
	Seconds float64 // of a row; 0 is the workload's own
	Load    Load

	// mod
	Verb   string         // new, check, test or docs
	Target string         // the name of a mod, or the folder of one
	Dir    string         // new: where the folder is made
	Run    *regexp.Regexp // test: which tests; nil is all
	Format string         // docs: md, json or lua
	Out    string         // docs: a file; "" is stdout

	// console
	Socket string // of a running server; "" is that of the data folder

	// backup, check
	File string // the copy, or what is looked at; "" is the store of the data folder

	Name     string
	Password string

	Data      string // "" is the default folder
	Scripts   []Script
	Console   string // auto, tty, line or off
	LogLevel  slog.Level
	LogFormat string // text or json
	Seed      *uint64
	Vars      []Var // in order of name
	VarsFrom  string
}

// Load is what torc bench replicate, play or reload puts on a server. Each number of clients is
// measured with each number of objects.
type Load struct {
	Clients []int // none: the workload's own
	Objects []int
	Scope   int // objects in everybody's view, the rest are elsewhere; 0 is all

	Active    int  // percent of the objects that move in a tick
	Unlimited bool // packets until everything is written, instead of one
	Distance  bool // the nearer, the more urgent
	Whole     bool // no update relative to what the peer has

	Profile string // file for a CPU profile of the server
}

// Script is one --exec or --eval, in the order given.
type Script struct {
	File string // --exec: .lua is one chunk, anything else console lines
	Code string // --eval, when File is empty
}

// Var is one line of the file's [vars] table.
type Var struct{ Name, Value string }

// Usage is a mistake in what was typed or configured, as one sentence.
type Usage struct{ Text string }

func (u *Usage) Error() string { return u.Text }
