package tasks

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
)

// A Service runs console lines by the clock. Their times are those of the machine, so the lines run
// between two ticks and no tick depends on them.
type Service struct {
	core.Passive
	core *core.Core
	list List
}

// New returns the tasks of a server, which has none yet.
func New(c *core.Core) *Service {
	s := &Service{core: c}
	c.Before(s.run)
	return s
}

// Commands are every, daily, tasks and tasks.cancel.
func (s *Service) Commands() []console.Command {
	add := func(usage string, to func(now time.Time, when, line string) (int, error)) func(string) (string, error) {
		return func(rest string) (string, error) {
			when, line, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if when == "" {
				return "", errors.New("usage: " + usage)
			}
			id, err := to(s.core.Side.Date(), strings.Trim(when, `"`), strings.TrimSpace(line))
			if err != nil {
				return "", err
			}
			return fmt.Sprint("task ", id), nil
		}
	}
	return []console.Command{
		{Name: "every", Params: "INTERVAL LINE", RunsLines: true, Help: "runs a console line after each interval, such as 15m or 24h", Line: add("every INTERVAL LINE", s.list.Every), Run: asLine(add("every INTERVAL LINE", s.list.Every))},
		{Name: "daily", Params: "HH:MM LINE", RunsLines: true, Help: "runs a console line once a day, at a time of this machine", Line: add("daily HH:MM LINE", s.list.Daily), Run: asLine(add("daily HH:MM LINE", s.list.Daily))},
		{Name: "tasks", Help: "the lines that run by the clock", Run: func([]string) (string, error) { return s.list.String(), nil }},
		{Name: "tasks.cancel", Params: "N", Help: "ends a task of the list tasks", Run: func(args []string) (string, error) {
			if len(args) != 1 {
				return "", errors.New("usage: tasks.cancel N")
			}
			n, err := strconv.Atoi(args[0])
			if err != nil || !s.list.Cancel(n) {
				return "", fmt.Errorf("there is no task %s (tasks lists them)", console.Quote(args[0]))
			}
			return "", nil
		}},
	}
}

// asLine lets Lua call a command that takes the rest of a line: every("15m", "backup").
func asLine(line func(rest string) (string, error)) func(args []string) (string, error) {
	return func(args []string) (string, error) { return line(strings.Join(args, " ")) }
}

// run runs the lines that are due.
func (s *Service) run() {
	if !s.core.Ready || s.core.Ending() {
		return
	}
	for _, line := range s.list.Due(s.core.From.Date()) {
		out, err := s.core.Side.Console.Exec(line)
		s.core.Side.Print(out, err)
	}
}
