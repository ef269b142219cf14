package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
)

// ParseSpeed reads the speed of a demo, such as 0.5, in percent.
func ParseSpeed(text string) (percent int, err error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= engine.MinFilmPace/100.0 && n <= engine.MaxFilmPace/100.0) {
		return 0, fmt.Errorf("the speed %q must be 0.1…16", text)
	}
	return int(n*100 + 0.5), nil
}

// ParseTime reads a time of a demo, such as 12:30 or 1:02:03 or 750.5: hours, minutes and seconds.
func ParseTime(text string) (time.Duration, error) {
	parts := strings.Split(text, ":")
	total := 0.0
	for i, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || !(n >= 0 && n < 1e6) || i > 0 && n >= 60 || i > 2 {
			return 0, fmt.Errorf("the time %q must be [MINUTES:]SECONDS, for example 12:30", text)
		}
		total = total*60 + n
	}
	return time.Duration(total * float64(time.Second)), nil
}

// FormatTime formats a time of a demo, as 12:30 or 1:02:03.
func FormatTime(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// FormatDate formats the beginning of a demo, in milliseconds since 1970.
func FormatDate(began uint64) string { return time.UnixMilli(int64(began)).Format(time.DateTime) }

// Text describes the demo and what is shown of it.
func (v *Viewer) Text() string {
	h, by := v.file.Header, "the server"
	if h.Player != "" {
		by = h.Player
	}
	text := fmt.Sprintf("%s of %s at %gx, recorded by %s at %s on %s", FormatTime(v.Position()), FormatTime(v.Length()), float64(v.percent)/100,
		by, h.Server, FormatDate(h.Began))
	if h.Mission != "" {
		text += ", mission " + h.Mission
	}
	return console.Clean(text)
}
