package console

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestBoundsOfEveryKind sets each kind of variable to both ends of its range, and to the values
// beside them. A refused value changes nothing.
func TestBoundsOfEveryKind(t *testing.T) {
	var (
		whole    int
		number   float64
		truth    bool
		word     string
		duration time.Duration
	)
	const above, below = "1.0000000001", "0.9999999999" // of 1
	huge := "1" + strconv.Itoa(math.MaxInt)
	for name, x := range map[string]struct {
		of        VarValue
		good, bad []string
		shown     []string // of the good ones, if it is another text
	}{
		"Int":          {of: Int(&whole, -3, 7), good: []string{"-3", "7", "0"}, bad: []string{"-4", "8", "3.5", "", "x", huge, "-" + huge, "0x1", "NaN"}},
		"Int of one":   {of: Int(&whole, 5, 5), good: []string{"5"}, bad: []string{"4", "6"}},
		"Int, no end":  {of: Int(&whole, 0, math.MaxInt), good: []string{"0", strconv.Itoa(math.MaxInt)}, bad: []string{"-1", huge}},
		"Float":        {of: Float(&number, -1, 1), good: []string{"-1", "1", "0.5"}, bad: []string{"-" + above, above, "NaN", "Inf", "-Inf", "1e999", "", "x"}},
		"Float from 0": {of: Float(&number, 0, math.Inf(1)), good: []string{"0", "1e+300"}, bad: []string{"-1e-300", "Inf", "NaN"}},
		"Float to 0":   {of: Float(&number, math.Inf(-1), 0), good: []string{"0", "-1e+300"}, bad: []string{"1e-300", "-Inf", "NaN"}},
		"IntOr":        {of: IntOr(&whole, 1, 9, "auto", -1), good: []string{"auto", "1", "9"}, bad: []string{"-1", "0", "10", "Auto", ""}},
		"FloatOr":      {of: FloatOr(&number, 1, 9, "auto", 0), good: []string{"auto", "1", "9"}, bad: []string{"0", below, "9.0000000001", "AUTO", "Inf"}},
		"Bool": {of: Bool(&truth), good: []string{"on", "off", "yes", "no", "1", "0", "true", "false"}, bad: []string{"", "2", "-1", "maybe"},
			shown: []string{"true", "false", "true", "false", "true", "false", "true", "false"}},
		"Enum": {of: Enum(&word, "first", "middle", "last"), good: []string{"first", "middle", "last"}, bad: []string{"", "firs", "lasts", "First"}},
		"Duration": {of: Duration(&duration, time.Second, time.Minute), good: []string{"1s", "60s", "1", "60", "1m"}, bad: []string{"999999999ns", "60.000000001", "0", "-1s", "1m1ns", "", "NaN", "1e999"},
			shown: []string{"1s", "1m0s", "1s", "1m0s", "1m0s"}},
	} {
		for i, text := range x.good {
			shown := text
			if x.shown != nil {
				shown = x.shown[i]
			}
			assert.NoError(t, x.of.Set(text), "%s %q", name, text)
			assert.Equal(t, shown, x.of.String(), name)
		}
		for _, text := range x.bad {
			before := x.of.String()
			assert.ErrorContains(t, x.of.Set(text), "must be "+x.of.(RangedValue).Range(), "%s %q", name, text)
			assert.Equal(t, before, x.of.String(), "%s %q", name, text)
		}
	}
}
