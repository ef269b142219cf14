package vm

import (
	"fmt"
	"strings"
	"time"
)

// formatDate formats a time in UTC by the directives of C's strftime in the C locale. Any other
// directive stays, as in Lua 5.1 with the C library of GNU.
func formatDate(format string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		if i++; i == len(format) {
			b.WriteByte('%')
			break
		}
		if text, ok := dateField(format[i], t); ok {
			b.WriteString(text)
		} else {
			b.WriteString(format[i-1 : i+1])
		}
	}
	return b.String()
}

// layouts are the directives that Go formats.
var layouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'h': "Jan", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02", 'D': "01/02/06", 'e': "_2",
	'F': "2006-01-02", 'H': "15", 'I': "03", 'j': "002", 'm': "01", 'M': "04", 'p': "PM", 'P': "pm", 'r': "03:04:05 PM", 'R': "15:04", 'S': "05", 'T': "15:04:05",
	'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006",
}

func dateField(c byte, t time.Time) (string, bool) {
	if layout := layouts[c]; layout != "" {
		return t.Format(layout), true
	}
	week := int(t.Weekday())
	year, isoWeek := t.ISOWeek()
	switch c {
	case '%', 'n', 't':
		return map[byte]string{'%': "%", 'n': "\n", 't': "\t"}[c], true
	case 'U':
		return fmt.Sprintf("%02d", (t.YearDay()+6-week)/7), true
	case 'W':
		return fmt.Sprintf("%02d", (t.YearDay()+6-(week+6)%7)/7), true
	case 'w':
		return fmt.Sprint(week), true
	case 'u':
		return fmt.Sprint((week+6)%7 + 1), true
	case 'V':
		return fmt.Sprintf("%02d", isoWeek), true
	case 'G':
		return fmt.Sprint(year), true
	case 'g':
		return fmt.Sprintf("%02d", year%100), true
	case 'C':
		return fmt.Sprintf("%02d", t.Year()/100), true
	case 'k':
		return fmt.Sprintf("%2d", t.Hour()), true
	case 'l':
		return fmt.Sprintf("%2d", (t.Hour()+11)%12+1), true
	case 's':
		return fmt.Sprint(t.Unix()), true
	case 'z':
		return "+0000", true
	case 'Z':
		return "UTC", true
	}
	return "", false
}
