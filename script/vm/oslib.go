package vm

import (
	"math"
	"time"

	lua "github.com/yuin/gopher-lua"
)

var osLib = Lib{"Dates", []Func{
	{"os.time", "[date: {year: integer, month: integer, day: integer, hour: integer?, min: integer?, sec: integer?, isdst: boolean?}] -> integer", Both,
		"Returns the server's date in seconds since 1970, or those of a date in UTC.", osTime},
	{"os.date", "[format: string, [time: number]] -> string|table", Both, "Formats a time in UTC as C's strftime does. \"*t\" returns a table. Without a time it is the server's date.", osDate},
	{"os.clock", "-> number", Both, "Returns the simulation time in seconds.", func(a Args) int { return a.Return(lua.LNumber(a.Runtime().Now().Seconds())) }},
	{"os.difftime", "later: number, earlier: number -> number", Both, "Returns the seconds between two times.", func(a Args) int {
		return a.Return(lua.LNumber(a.Number(1) - a.OptNumber(2, 0)))
	}},
	{"os.getenv", "name: string -> nil", Both, "Returns nil: mods see no environment variables.", func(a Args) int {
		a.String(1)
		return a.Return(lua.LNil)
	}},
}}

// maxDate limits dates to years of four digits, in seconds since 1970.
const maxDate = 253_402_300_799

// Date returns the date in seconds since 1970: that of SetDate, or without one Config.Date plus the
// simulation time since the start, so that a repeated run gets the same dates.
func (h *Runtime) Date() int64 {
	if h.dated {
		return h.date
	}
	return h.epoch + int64(h.Now()/time.Second)
}

// SetDate sets the date in seconds since 1970, which holds until the next call.
func (h *Runtime) SetDate(unix int64) { h.date, h.dated = unix, true }

func osTime(a Args) int {
	if !a.Has(1) {
		return a.Return(lua.LNumber(a.Runtime().Date()))
	}
	t := a.Table(1)
	field := func(name string, otherwise int) int {
		v := t.RawGetString(name)
		n, ok := v.(lua.LNumber)
		if text, is := v.(lua.LString); is {
			var m float64
			m, ok = ParseNumber(string(text))
			n = lua.LNumber(m)
		}
		switch {
		case v == lua.LNil && otherwise < 0:
			a.Fail("the field '%s' is missing in the date", name)
		case v == lua.LNil:
			return otherwise
		case !ok || math.Abs(float64(n)) > 1e9:
			a.Fail("the field '%s' must be an integer, not %s", name, a.Runtime().Kind(v))
		}
		return int(n)
	}
	year, month, day := field("year", -1), field("month", -1), field("day", -1)
	date := time.Date(year, time.Month(month), day, field("hour", 12), field("min", 0), field("sec", 0), 0, time.UTC).Unix()
	if date < -maxDate || date > maxDate {
		a.Fail("the date is out of range")
	}
	return a.Return(lua.LNumber(date))
}

func osDate(a Args) int {
	format := a.OptString(1, "%c")
	at := a.OptNumber(2, float64(a.Runtime().Date()))
	if !(math.Abs(at) <= maxDate) {
		a.Fail("the time %s is out of range", NumberText(at))
	}
	t := time.Unix(int64(math.Floor(at)), 0).UTC()
	if format != "" && format[0] == '!' {
		format = format[1:] // all dates are in UTC
	}
	if len(format) >= 2 && format[:2] == "*t" {
		return a.Return(dateTable(a, t))
	}
	a.Charge(len(format))
	if len(format) > MaxString/32 {
		a.Fail("the format is too long")
	}
	return a.Text(formatDate(format, t))
}

func dateTable(a Args, t time.Time) *lua.LTable {
	table := a.L.CreateTable(0, 9)
	for _, f := range []struct {
		name string
		n    int
	}{
		{"year", t.Year()}, {"month", int(t.Month())}, {"day", t.Day()}, {"hour", t.Hour()}, {"min", t.Minute()}, {"sec", t.Second()},
		{"wday", int(t.Weekday()) + 1}, {"yday", t.YearDay()},
	} {
		table.RawSetString(f.name, lua.LNumber(f.n))
	}
	table.RawSetString("isdst", lua.LFalse)
	return table
}
