package node

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/journal"
	"github.com/torc-engine/torc/engine/node/internal/scrub"
	"github.com/torc-engine/torc/engine/node/internal/tape"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// A ScrubReport says what ScrubJournal has replaced, and how the game of the new journal differs.
type ScrubReport struct {
	Names, Addresses, Keys, Passwords int
	Texts                             int // that somebody has written

	Ticks      uint64
	Difference string // the first difference of the worlds, besides texts; "" if there is none
}

// ScrubJournal writes a journal of the same match without names, addresses, keys, passwords and chat.
//
// It replays the journal twice: once to find the players, and once beside a second server, which records the new journal.
// Made-up clients give that server the same moves and commands at the same times. register is that of the Config.
func ScrubJournal(in io.ReadSeeker, out io.Writer, register func(*sim.Classes) error) (r ScrubReport, err error) {
	words := scrub.NewWords()
	joins, err := meetPlayers(in, words, register)
	if err != nil {
		return r, err
	}
	first, err := newWatched(in, register)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, first.Close()) }()
	second, err := newScrubbed(in, out, register, scrub.NewClients(words, joins, first.watch))
	if err != nil {
		return r, err
	}
	err = errors.Join(second.follow(first), second.stop(first, words), second.Close(), second.failed)
	return ScrubReport{words.Names, words.Addresses, words.Keys, words.Passwords, words.Texts, first.Tick(), second.difference}, err
}

// meetPlayers replays a journal to learn who plays, and what the mods and the console know.
func meetPlayers(in io.ReadSeeker, words *scrub.Words, register func(*sim.Classes) error) (scrub.Joins, error) {
	r, err := newWatched(in, register)
	if err != nil {
		return nil, err
	}
	words.Meet(&r.player.Config)
	words.LearnNames(r.Console().Names())
	for err == nil {
		err = r.Step()
	}
	words.LearnNames(r.Console().Names()) // with those of mods
	difference := r.Difference()
	if err := r.Close(); err != nil {
		return nil, err
	}
	if difference != "" {
		return nil, fmt.Errorf("the journal cannot be scrubbed, because its replay differs: %s", difference)
	}
	r.watch.Joins.Meet(words)
	return r.watch.Joins, noteEntries(in, words)
}

// noteEntries shows words all entries.
func noteEntries(in io.ReadSeeker, words *scrub.Words) error {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := journal.NewReader(bufio.NewReader(in))
	for err == nil {
		var e journal.Entry
		if e, err = r.Next(); err == nil {
			words.Note(&e)
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, journal.ErrDamaged) {
		return nil
	}
	return err
}

// watched is a replay whose clients are watched.
type watched struct {
	Replay
	watch *scrub.Watch
}

// newWatched begins to replay a journal from its beginning.
func newWatched(in io.ReadSeeker, register func(*sim.Classes) error) (*watched, error) {
	p, err := playerFromStart(in, register, nil)
	if err != nil {
		return nil, err
	}
	r := &watched{Replay{player: p}, scrub.NewWatch()}
	err = r.open(ReplayConfig{Register: register}, &Server{tape: p, observe: r.watch.Observe}, func(s played) tape.Server { return watchedServer{s, r.watch} })
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// playerFromStart reads a journal from its beginning. Two players read one file at once.
func playerFromStart(in io.ReadSeeker, register func(*sim.Classes) error, edit func(*journal.Entry)) (*tape.Player, error) {
	return newPlayer(bufio.NewReader(&section{in: in}), register, edit)
}

// section reads a file from its beginning, whoever else reads it.
type section struct {
	in io.ReadSeeker
	at int64
}

func (s *section) Read(b []byte) (n int, err error) {
	if _, err := s.in.Seek(s.at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err = s.in.Read(b)
	s.at += int64(n)
	return n, err
}

// watchedServer shows the datagrams of a journal to a Watch.
type watchedServer struct {
	played
	watch *scrub.Watch
}

func (s watchedServer) Receive(at time.Duration, from netcore.Addr, b []byte) {
	s.watch.Received(from, b)
	s.played.Receive(at, from, b)
}

// scrubbed is the second server: it plays a journal with other texts and other clients, and is recorded.
type scrubbed struct {
	Replay
	difference string
	failed     error  // to write the journal
	due        uint64 // tick of the next comparison
	marks      int    // of the first journal, passed on so far
}

func newScrubbed(in io.ReadSeeker, out io.Writer, register func(*sim.Classes) error, clients *scrub.Clients) (*scrubbed, error) {
	p, err := playerFromStart(in, register, clients.Words.Entry)
	if err != nil {
		return nil, err
	}
	own := clients.Words.Identity(p.Config.Key)
	clients.Words.Config(&p.Config)
	clients.Server, p.Config.Key = own.Public, own.Public.String()
	_, _ = rand.Read(p.Config.Entropy[:]) // never fails
	w, err := newJournalWriter(out, p.Config, register)
	if err != nil {
		return nil, err
	}
	s := &scrubbed{Replay: Replay{player: p}}
	stopped := func(why string) { s.failed = errors.New(why) }
	rec := tape.NewRecorder(w, p.Config, stopped, func() {})
	server := &Server{tape: &tape.Copy{Recorder: rec, From: p, Password: clients.Words.Password}, own: own}
	err = s.open(ReplayConfig{Register: register}, server, func(to played) tape.Server { return scrubbedServer{to, clients} })
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	rec.Watch(s.Console(), func() string { return p.By })
	clients.Host, clients.Give = s.Host(), s.server.side.receive
	return s, nil
}

// newJournalWriter begins a journal of this program.
func newJournalWriter(out io.Writer, cfg tape.Config, register func(*sim.Classes) error) (*journal.Writer, error) {
	text, err := json.Marshal(cfg)
	if err != nil {
		return nil, err
	}
	classes, err := newClasses(register)
	if err != nil {
		return nil, err
	}
	return journal.NewWriter(out, journal.Header{Protocol: netcore.ProtocolVersion, Classes: fmt.Sprintf("%016x", classes.Hash()), Program: "-", Config: text})
}

// scrubbedServer gets the calls of a journal, but the datagrams of the clients.
type scrubbedServer struct {
	played
	clients *scrub.Clients
}

func (s scrubbedServer) Receive(at time.Duration, from netcore.Addr, b []byte) {
	s.clients.Receive(at, from, b)
}

func (s scrubbedServer) Tick(now time.Duration) {
	s.clients.Tick(now)
	s.played.Tick(now)
}

func (s scrubbedServer) Send(now time.Duration, out func(to netcore.Addr, b []byte)) {
	s.played.Send(now, func(to netcore.Addr, b []byte) {
		s.clients.Sent(now, to, b)
		out(to, b)
	})
}

// follow makes each call to the first server, and then to this one.
func (s *scrubbed) follow(first *watched) (err error) {
	for err == nil {
		if err = first.Step(); err != nil {
			break
		}
		for _, m := range first.player.Marks[s.marks:] {
			if !strings.HasPrefix(m.Why, "fault\t") { // this server has its own
				s.server.rec.Mark(m.Why)
			}
		}
		s.marks = len(first.player.Marks)
		err = s.Step()
		if tick := first.Tick(); tick >= s.due {
			s.due = tick + tape.StateEvery
			s.compare(first.Host(), s.Host())
		}
	}
	s.compare(first.Host(), s.Host())
	if errors.Is(err, io.EOF) || errors.Is(err, journal.ErrDamaged) {
		return nil
	}
	return err
}

// compare notes the first difference of two worlds.
func (s *scrubbed) compare(a, b *engine.Host) {
	if text := tape.Difference(a.World(), b.World()); text != "" && s.difference == "" {
		s.difference = fmt.Sprintf("tick %d: %s", a.TickNumber(), text)
	}
}

// stop ends the journal as the first one ended, if that was before its server. It returns why it has ended before.
func (s *scrubbed) stop(first *watched, words *scrub.Words) error {
	failed, why := s.failed, words.Reason(first.Ended())
	if !first.Whole() {
		why = "the scrubbed journal has no end"
	}
	if why != "" {
		s.server.rec.Stop(why)
	}
	s.failed = nil
	return failed
}
