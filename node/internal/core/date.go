package core

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script"
)

// dateLayout is the form of mod.date.
const dateLayout = "2006-01-02 15:04:05"

// A date gives the scripts of a side their date. All code of a tick sees the same one.
type date struct {
	scripts *script.Scripts
	clock   func() time.Time     // of the machine; only read calls it
	machine time.Time            // the newest reading
	now     func() time.Duration // simulation time
	set     bool                 // the operator has set the date
	epoch   time.Time            // the date that the operator has set, at simulation time 0
}

// read reads the machine's date, unless the operator has set another one, which goes on with the
// simulation time. It is called at the start of each tick, and nowhere else: the date is an input
// of the tick.
func (d *date) read() { d.take(d.clock()) }

func (d *date) take(machine time.Time) {
	d.machine = machine
	if d.set {
		d.scripts.Runtime.SetDate(d.epoch.Add(d.now()).Unix())
	} else {
		d.scripts.Runtime.SetDate(d.machine.Unix())
	}
}

// variable returns the variable mod.date.
func (d *date) variable() console.Var {
	get := func() string { return time.Unix(d.scripts.Runtime.Date(), 0).UTC().Format(dateLayout) }
	set := func(text string) error {
		if text == "now" {
			d.set = false
			return nil
		}
		t, err := time.Parse(dateLayout, text)
		if err != nil {
			return fmt.Errorf("%q must be \"now\", or a date in UTC, as in \"2030-01-31 20:15:00\"", text)
		}
		d.set, d.epoch = true, t.Add(-d.now())
		d.scripts.Runtime.SetDate(t.Unix())
		return nil
	}
	return console.Var{Name: "mod.date", Help: "the date of os.time and os.date for mods, in UTC; now follows the machine's clock", Value: console.Func(get, set), Passing: true}
}
