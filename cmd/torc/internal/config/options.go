package config

import (
	"log/slog"
	"regexp"
	"time"
)

// Options are the settings of a subcommand. Fields without a flag in the subcommand keep their zero
// value.
type Options struct {
	Subcommand string

	// serve, rendezvous, and the server of play
	Listen     string
	MapPort    bool
	Rendezvous string // HOST:PORT of a rendezvous to register at; "" is none
	Metrics    string // HOST:PORT of the metrics endpoint; "" disables it
	SSH        string // HOST:PORT of the console over SSH; "" disables it
	SSHKeys    string // file of its keys; "" is in the data folder
	Web        string // HOST:PORT of the client for browsers, or DefaultWeb; "" disables it
	WebOrigins []string
	WebProxies []string
	WebRTC     []string // IP addresses at which browsers reach the UDP port, or NoRTC
	TLSDomain  string   // name for a certificate of Web from a CA; "" asks for none
	TLSCert    string   // files of the certificate of Web and of its key; "" is plain HTTP
	TLSKey     string
	Mods       []string
	ModsDir    string
	Mission    string
	MaxClients int
	Strict     bool
	Journal    string // folder of journals; "" records none
	Bots       *int   // nil: the value of the mods and the file

	// join, swarm, query, and the client of play
	Address     string // HOST:PORT, optionally with #KEY, or via:HOST:PORT#KEY
	Args        []string
	NoReconnect bool
	Watch       bool
	Record      string // a new file for a demo; "" is none
	Capture     string // new file that gets the traffic; "" is none
	AcceptKey   string
	Timeout     time.Duration
	Bot         string        // idle, wander or a Lua file, which is also in Scripts; "" is idle
	Count       int           // clients of a swarm
	For         time.Duration // duration of a swarm; 0: until stopped

	JSON bool // of mod check, test and list, and of dissect

	// relay; also Address and Listen
	Line Line

	// mod
	Verb    string         // new, check, test, debug, docs, pack, install or list; of config: check or show
	Target  string         // the name or the folder of a mod; install: the source, "" is the lock file; of config: the subcommand that reads the settings
	Dir     string         // new: the parent folder of the new mod
	Run     *regexp.Regexp // test: the tests to run; nil is all
	Format  string         // docs: md, json or lua
	Out     string         // docs: a file, "" is stdout; pack: a file, "" is NAME-VERSION.tar.gz
	Replace bool           // install: replace an installed mod of the same name

	// console
	Socket string // of a running server; "" is the socket of the data folder

	// backup, check, dissect, replay
	File string // the copy, or the file to check; "" is the store of the data folder; the capture; the journal or the demo

	// dissect; also JSON
	Packet      int // the only packet to show; 0 is all
	First, Last int // the packets to show; 0 is no limit

	// replay
	Speed    string // times real time; "" is the default of the kind of file
	Seek     string // a time such as 12:30; "" is the beginning
	Headless bool   // of a demo

	// replay of a journal
	Check       bool
	From, Until uint64 // ticks; 0: from the beginning, to the end
	FromMark    int    // number of a mark, 0 for none
	Prompt      bool
	Net         string // HOST:PORT of its net page, or DefaultWeb; "" shows none
	WithMods    string // a folder of mods

	Name     string
	Password string

	Data      string // "" is the default folder
	Scripts   []Script
	Console   string // auto, tty, line or off
	LogLevel  slog.Level
	LogFormat string // text or json
	LogFile   string // also gets the log; "" is none

	LogMaxSize, LogMaxAge int // of a log file, in MiB; of old log files, in days
	Seed                  *uint64
	Vars                  []Var // in order of name, but net.profile comes first
	VarsFrom              string

	Warnings []string  // about names in the environment
	Settings []Setting // every flag of the subcommand, in order of name; nil if the subcommand reads no settings
}

// Script is one --exec or --eval, in the order given.
type Script struct {
	File string // --exec: .lua is one chunk, any other file contains console lines
	Code string // --eval, when File is empty
}

// Var is one line of the file's [vars] table.
type Var struct {
	Name, Value string
	Line        int // in the file, from 1
}

// A Setting is the value of a flag, and where the value comes from.
type Setting struct {
	Name  string // of the flag
	Value string // as given, several values separated by ", "; "" if there is none
	From  string // "--NAME", "TORC_NAME", "FILE:LINE" or "default"
}

// UsageError is an error in the command line or the configuration, as one sentence.
type UsageError struct{ Text string }

func (u *UsageError) Error() string { return u.Text }
