// Package tasks keeps the console lines that a server runs by the clock: every so often, or at a
// time of the day. Times are arguments, so the owner decides what time it is, and in which zone.
package tasks

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	maxTasks = 64
	minEvery = time.Second
	maxEvery = 365 * 24 * time.Hour
)

// task is one line and when it runs.
type task struct {
	id    int
	line  string
	every time.Duration // 0: once a day, at hour and minute
	hour  int
	min   int
	due   time.Time
}

// List is the tasks of a server, in order of their numbers. The zero List is empty.
type List struct {
	tasks []*task
	last  int // the newest number
}

// Every adds a line that runs after each interval, 1s to 8760h. It returns the number of the task.
func (l *List) Every(now time.Time, interval, line string) (int, error) {
	every, err := time.ParseDuration(interval)
	if err != nil || every < minEvery || every > maxEvery {
		return 0, fmt.Errorf("interval %q: must be between 1s and 8760h, such as 90s, 15m or 24h", interval)
	}
	return l.add(&task{line: line, every: every, due: now.Add(every)})
}

// Daily adds a line that runs once a day at a time HH:MM, in the zone of now.
func (l *List) Daily(now time.Time, clock, line string) (int, error) {
	at, err := time.Parse("15:04", clock)
	if err != nil {
		return 0, fmt.Errorf("time %q: must be between 00:00 and 23:59", clock)
	}
	t := &task{line: line, hour: at.Hour(), min: at.Minute()}
	t.due = t.nextDay(now)
	return l.add(t)
}

func (l *List) add(t *task) (int, error) {
	if strings.TrimSpace(t.line) == "" {
		return 0, errors.New("the line to run is missing")
	}
	if len(l.tasks) >= maxTasks {
		return 0, fmt.Errorf("a server can have at most %d tasks", maxTasks)
	}
	l.last++
	t.id = l.last
	l.tasks = append(l.tasks, t)
	return t.id, nil
}

// nextDay returns the first time after now at the task's hour and minute. On a day that skips this
// time in spring, it is an hour later.
func (t *task) nextDay(now time.Time) time.Time {
	y, m, d := now.Date()
	for {
		if at := time.Date(y, m, d, t.hour, t.min, 0, 0, now.Location()); at.After(now) {
			return at
		}
		d++
	}
}

// Cancel removes a task. It reports whether there was one.
func (l *List) Cancel(id int) bool {
	for i, t := range l.tasks {
		if t.id == id {
			l.tasks = append(l.tasks[:i:i], l.tasks[i+1:]...)
			return true
		}
	}
	return false
}

// Due returns the lines that are due, in order of their numbers, and sets their next times. A line
// runs once, however many of its times have passed: while the machine slept, or the clock was set.
func (l *List) Due(now time.Time) (lines []string) {
	for _, t := range l.tasks {
		if now.Before(t.due) && t.due.Sub(now) <= max(t.every, 25*time.Hour) {
			continue
		}
		if !now.Before(t.due) {
			lines = append(lines, t.line)
		}
		if t.every > 0 {
			t.due = now.Add(t.every)
		} else {
			t.due = t.nextDay(now)
		}
	}
	return lines
}

// String lists the tasks, one per line.
func (l *List) String() string {
	var b strings.Builder
	for _, t := range l.tasks {
		when := "every " + t.every.String()
		if t.every == 0 {
			when = fmt.Sprintf("daily at %02d:%02d", t.hour, t.min)
		}
		fmt.Fprintf(&b, "%d %s, next %s: %s\n", t.id, when, t.due.Format("2006-01-02 15:04:05"), t.line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
