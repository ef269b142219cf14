package node

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script"
)

// dateLayout is the form of mod.date.
const dateLayout = "2006-01-02 15:04:05"

// dateVar is the date that mods see. It begins with the machine's and goes on with the simulation.
func dateVar(s *script.Scripts) console.Var {
	get := func() string { return time.Unix(s.Date(), 0).UTC().Format(dateLayout) }
	set := func(text string) error {
		t, err := time.Parse(dateLayout, text)
		if err != nil {
			return fmt.Errorf("%q must be a date in UTC, as in \"2030-01-31 20:15:00\"", text)
		}
		s.SetDate(t.Unix())
		return nil
	}
	return console.Var{Name: "mod.date", Help: "the date of os.time and os.date for mods, in UTC", Value: console.Func(get, set), Passing: true}
}
