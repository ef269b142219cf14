package replay

import (
	"errors"
	"io"
	"strings"

	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/internal/journals"
)

// ErrCut is in the error of a Replay whose journal ends in the middle of a block: its process was
// killed, or the file was cut off. All other errors than this one and io.EOF are damage, or a disk
// that cannot be read.
var ErrCut = journal.ErrCut

const (
	maxMarks    = 1000 // of a journal that are shown
	maxMarkText = 4096 // bytes of the text of one that are kept
)

// IsJournal reports whether b is the beginning of a journal.
func IsJournal(b []byte) bool { return journal.Is(b) }

// A Summary is what a journal has, without a replay.
type Summary struct {
	Program string // version of the program that wrote it
	Build   string // its revision, and the version of Go
	Ticks   uint64
	Marks   []Mark
	Whole   bool   // the journal has an end
	Why     string // it ends before its server; "" if it does not
	Err     error  // why the rest cannot be read: ErrCut, or damage; nil if all was read
}

// Damaged reports whether a part of the journal cannot be used, and not because it was cut off.
func (s *Summary) Damaged() bool { return s.Err != nil && !errors.Is(s.Err, ErrCut) }

// Scan reads a journal to its end, or to the first block that cannot be read. The error is that of
// the header.
func Scan(in io.Reader) (s Summary, err error) {
	r, err := journal.NewReader(in)
	if err != nil {
		return s, err
	}
	s.Program, s.Build = r.Header.Program, r.Header.Build
	for {
		e, err := r.Next()
		if err != nil {
			if err != io.EOF {
				s.Err = err
			}
			return s, nil
		}
		switch e.Kind {
		case journal.Tick:
			s.Ticks++
		case journal.Mark:
			if len(s.Marks) < maxMarks {
				s.Marks = append(s.Marks, markOf(s.Ticks, e.Name))
			}
		case journal.End:
			s.Whole, s.Why = true, e.Name
		}
	}
}

// OtherBuild says in a sentence that another build than this one, of a version, wrote the journal;
// "" if this one did.
func (s *Summary) OtherBuild(version string) string {
	return journals.OtherBuild(s.Program, s.Build, version)
}

// A Mark is a place in a journal to look at.
type Mark struct {
	Tick uint64
	Kind string // fault, late, panic or end
	Mod  string // of a fault
	At   string // FILE:LINE of a fault
	Text string
}

// markOf reads the text of a mark: fields with tabs between. It keeps no more than the beginning of
// a long one.
func markOf(tick uint64, why string) Mark {
	why = strings.Clone(why[:min(len(why), maxMarkText)])
	kind, text, _ := strings.Cut(why, "\t")
	m := Mark{Tick: tick, Kind: kind, Text: text}
	if part := strings.SplitN(text, "\t", 4); kind == "fault" && len(part) == 4 {
		m.Mod, m.At, m.Text = part[0], part[2], part[3]
	}
	return m
}

// String describes a mark in one line.
func (m Mark) String() string {
	if m.Mod == "" {
		return m.Kind + ": " + m.Text
	}
	return m.Kind + " in " + m.Mod + ": " + m.Text
}

// Site identifies a fault without its line and its folder: lines move when a mod changes.
func (m Mark) Site() string {
	file, _, _ := strings.Cut(m.At, ":")
	if i := strings.LastIndex(file, m.Mod+"/"); i >= 0 {
		file = file[i:]
	}
	return strings.Join([]string{m.Kind, m.Mod, file, strings.TrimPrefix(m.Text, m.At+": ")}, "\t")
}
