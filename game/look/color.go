package look

import (
	"fmt"
	"strconv"
	"strings"
)

// A Color is red, green and blue in 24 bits, or a colour that depends on the team of the object.
type Color int

// The colours of a team.
const (
	Team Color = -1
	Dark Color = -2 // darker than Team
)

// Red, Green and Blue return a component, 0…255.
func (c Color) Red() int { return int(c) >> 16 & 255 }

// Green returns the green component, 0…255.
func (c Color) Green() int { return int(c) >> 8 & 255 }

// Blue returns the blue component, 0…255.
func (c Color) Blue() int { return int(c) & 255 }

// teams are the colours of the teams. Team 0 is none.
var teams = [16]Color{0xd8d8d8, 0xff5549, 0x3f97ff, 0x58e06a, 0xf4e04a, 0xff72ff, 0x58ffff, 0xffaf5f,
	0xaf87ff, 0xafd787, 0xd7d7ff, 0x87afd7, 0xd7af87, 0x87d787, 0xd787d7, 0xafafd7}

// Of returns the colour for an object of a team.
func (c Color) Of(team int) Color {
	switch t := teams[team&15]; c {
	case Team:
		return t
	case Dark:
		const share = 108 // of 256
		return Color(t.Red()*share>>8<<16 | t.Green()*share>>8<<8 | t.Blue()*share>>8)
	}
	return c & 0xffffff
}

// named are the colours with names.
var named = map[string]Color{
	"team": Team, "dark": Dark,
	"white": 0xffffff, "grey": 0x8a8f94, "black": 0x15171a, "red": 0xe03028, "orange": 0xff8a20, "yellow": 0xffd84a, "green": 0x3fbf50,
	"cyan": 0x35d6ff, "blue": 0x2f6fe0, "purple": 0x9a50e8, "pink": 0xff6fb5, "brown": 0x7a5230, "metal": 0x767f88, "steel": 0x454c54,
}

const colorWanted = `a color such as "#ff8800", "red" or "team"`

// parseColor reads "#rrggbb" or a name.
func parseColor(text string) (Color, bool) {
	if digits, ok := strings.CutPrefix(text, "#"); ok {
		n, err := strconv.ParseUint(digits, 16, 24)
		return Color(n), err == nil && len(digits) == 6
	}
	c, ok := named[text]
	return c, ok
}

// String returns the colour as Lua writes it.
func (c Color) String() string {
	switch c {
	case Team:
		return "team"
	case Dark:
		return "dark"
	}
	return fmt.Sprintf("#%06x", int(c)&0xffffff)
}
