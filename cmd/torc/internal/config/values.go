package config

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/node"
)

// Types of flags that only torc has. Package flags has the others.

type scripts struct {
	to   *[]Script
	make func(string) Script
}

func (s scripts) String() string        { return "" }
func (s scripts) Set(text string) error { *s.to = append(*s.to, s.make(text)); return nil }

// bot is the source of moves. A Lua file is also added to the scripts.
type bot struct {
	to      *string
	scripts *[]Script
}

func (b bot) String() string { return "" }
func (b bot) Set(s string) error {
	if strings.HasSuffix(s, ".lua") {
		*b.scripts = append(*b.scripts, Script{File: s})
	} else if s != "idle" && s != "wander" {
		return errors.New("must be idle, wander or a .lua file")
	}
	*b.to = s
	return nil
}

// language is the tag of a language. The locale of the environment is its default, and can be
// anything.
type language struct{ to *string }

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|[0-9]{3}))?$`)

func (l language) String() string { return "" }
func (l language) Set(s string) error {
	if !languageTag.MatchString(s) {
		return errors.New("must be the tag of a language, such as de, pt-BR or zh-Hant-TW")
	}
	*l.to = s
	return nil
}

// peers are other servers: NAME=HOST:PORT#KEY, several of them separated by commas.
type peers struct{ to *[]node.Peer }

func (p peers) String() string { return "" }
func (p peers) Set(s string) error {
	for text := range strings.SplitSeq(s, ",") {
		peer, err := node.ParsePeer(strings.TrimSpace(text))
		if err != nil {
			return err
		}
		*p.to = append(*p.to, peer)
	}
	return nil
}

type level struct{ to *slog.Level }

func (l level) String() string {
	if l.to == nil {
		return ""
	}
	return strings.ToLower(l.to.String())
}
func (l level) Set(s string) error {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	v, ok := levels[s]
	if !ok {
		return fmt.Errorf("must be one of debug, info, warn, error")
	}
	*l.to = v
	return nil
}

// password reads @FILE, so that the password does not appear in the list of processes.
type password struct{ to *string }

func (p password) String() string { return "" }
func (p password) Set(s string) error {
	if name, isFile := strings.CutPrefix(s, "@"); isFile {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("cannot be read: %w", err)
		}
		s = strings.TrimRight(strings.TrimPrefix(string(text), byteOrderMark), "\r\n")
	}
	*p.to = s
	return nil
}

// tick is a tick of a journal, or one of its marks.
type tick struct {
	to   *uint64
	mark *int // nil: a mark is an error
}

func (t tick) String() string {
	if t.to == nil || *t.to == 0 {
		return ""
	}
	return strconv.FormatUint(*t.to, 10)
}

func (t tick) Set(s string) error {
	if number, is := strings.CutPrefix(s, "mark:"); is && t.mark != nil {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return errors.New("must be the number of a tick, or mark:1 and so on")
		}
		*t.mark = n
		return nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return errors.New("must be the number of a tick")
	}
	*t.to = n
	return nil
}
