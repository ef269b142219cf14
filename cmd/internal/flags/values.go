package flags

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

// List is the value of a repeatable flag.
type List struct {
	To  *[]string
	Sep string // also splits each value at this separator; "" keeps the value whole
}

func (l List) String() string { return "" }

// Set adds values.
func (l List) Set(s string) error {
	if l.Sep == "" {
		*l.To = append(*l.To, s)
		return nil
	}
	for part := range strings.SplitSeq(s, l.Sep) {
		if part = strings.TrimSpace(part); part != "" {
			*l.To = append(*l.To, part)
		}
	}
	return nil
}

// Choice is one of several words.
type Choice struct {
	To *string
	Of []string
}

func (c Choice) String() string {
	if c.To == nil {
		return ""
	}
	return *c.To
}

// Set sets the word.
func (c Choice) Set(s string) error {
	if !slices.Contains(c.Of, s) {
		return fmt.Errorf("must be one of %s", strings.Join(c.Of, ", "))
	}
	*c.To = s
	return nil
}

// Count is a whole number from Lo to Hi.
type Count struct {
	To     *int
	Lo, Hi int
}

func (c Count) String() string {
	if c.To == nil || *c.To == 0 {
		return ""
	}
	return strconv.Itoa(*c.To)
}

// Set sets the number.
func (c Count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < c.Lo || n > c.Hi {
		return fmt.Errorf("must be a whole number from %d to %d", c.Lo, c.Hi)
	}
	*c.To = n
	return nil
}

// OptionalCount is a count that can be unset.
type OptionalCount struct {
	To     **int
	Lo, Hi int
}

func (c OptionalCount) String() string { return "" }

// Set sets the number.
func (c OptionalCount) Set(s string) error {
	n := 0
	*c.To = &n
	return Count{&n, c.Lo, c.Hi}.Set(s)
}

// CountList is a list of whole numbers from Lo to Hi.
type CountList struct {
	To     *[]int
	Lo, Hi int
}

func (c CountList) String() string { return "" }

// Set sets the list.
func (c CountList) Set(s string) error {
	var all []int
	for part := range strings.SplitSeq(s, ",") {
		all = append(all, 0)
		if err := (Count{&all[len(all)-1], c.Lo, c.Hi}).Set(strings.TrimSpace(part)); err != nil {
			return err
		}
	}
	*c.To = all
	return nil
}

// Seed is a number that fixes random choices. It can be unset.
type Seed struct{ To **uint64 }

func (s Seed) String() string { return "" }

// Set sets the number.
func (s Seed) Set(text string) error {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return fmt.Errorf("must be a whole number from 0 to %d", uint64(1<<64-1))
	}
	*s.To = &n
	return nil
}

// On is the text of an Address without a value.
const On = "on"

// Address is on, off or HOST:PORT. Without a value it is On, and off is "".
type Address struct {
	To         *string
	BeforeFile bool // a word behind it that cannot be its value is a file
}

// takes reports whether the next word is the value.
func (a Address) takes(word string) bool {
	if !a.BeforeFile || word == "on" || word == "off" {
		return true
	}
	_, port, err := net.SplitHostPort(word)
	_, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && bad == nil
}

func (a Address) String() string {
	if a.To == nil {
		return ""
	}
	return *a.To
}

// IsBoolFlag tells package flag that the value can be left out.
func (a Address) IsBoolFlag() bool { return true }

// Set sets the address.
func (a Address) Set(s string) error {
	switch {
	case s == "on" || s == "true":
		*a.To = On
	case s == "off" || s == "false":
		*a.To = ""
	case strings.Contains(s, ":"):
		*a.To = s
	default:
		return errors.New("must be HOST:PORT, on or off, for example :8080")
	}
	return nil
}
