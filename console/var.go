package console

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A VarValue is the value of a variable, like flag.Value for a flag. The error of
// Set states the valid values, as a sentence without its subject:
// `must be a number from 1 to 125, got "x"`. The console puts the name before it.
type VarValue interface {
	String() string
	Set(text string) error
}

// A TypedValue is a VarValue with a type besides text. Any returns it as a bool,
// a float64 or a string. Lua sees this value.
type TypedValue interface{ Any() any }

// A RangedValue is a VarValue that describes its valid values: "a number from 1 to 125".
type RangedValue interface{ Range() string }

// A ChoiceValue is a VarValue that lists its valid values, for Tab.
type ChoiceValue interface{ Choices() []string }

// A CheckedValue is a VarValue whose Set has other effects. Check returns the
// error of Set for the same text, and has no effect.
type CheckedValue interface{ Check(text string) error }

// Any returns the value as a bool, a float64 or a string.
func Any(v VarValue) any {
	if typed, ok := v.(TypedValue); ok {
		return typed.Any()
	}
	return v.String()
}

// Show returns the value in Lua notation, with text in quotes.
func Show(v VarValue) string {
	if _, text := Any(v).(string); text {
		return Quote(v.String())
	}
	return v.String()
}

// Bool binds a variable to a bool.
func Bool(p *bool) VarValue { return (*boolValue)(p) }

// Int binds a variable to an int from lo to hi.
func Int(p *int, lo, hi int) VarValue { return &intValue{p, lo, hi} }

// IntOr is Int with one more valid value: word stands for the number special.
func IntOr(p *int, lo, hi int, word string, special int) VarValue {
	return &orValue[int]{&intValue{p, lo, hi}, p, word, special}
}

// Float binds a variable to a float64 from lo to hi. A bound can be infinite.
func Float(p *float64, lo, hi float64) VarValue { return &floatValue{p, lo, hi} }

// FloatOr is Float with one more valid value: word stands for the number special.
func FloatOr(p *float64, lo, hi float64, word string, special float64) VarValue {
	return &orValue[float64]{&floatValue{p, lo, hi}, p, word, special}
}

// String binds a variable to a string.
func String(p *string) VarValue { return (*stringValue)(p) }

// Enum binds a variable to one of a few words.
func Enum(p *string, words ...string) VarValue { return &enumValue{p, words} }

// Duration binds a variable to a duration from lo to hi. People type it as 45,
// 45s or 1m30s; a bare number is seconds. Lua sees seconds.
func Duration(p *time.Duration, lo, hi time.Duration) VarValue { return &durationValue{p, lo, hi} }

// Func makes a value from two functions. If set is nil, the value is read-only.
func Func(get func() string, set func(text string) error) VarValue { return funcValue{get, set} }

// Hook calls changed after every successful Set of v. An error of changed undoes
// the change.
func Hook(v VarValue, changed func() error) VarValue { return hookValue{v, changed} }

func mustBe(v RangedValue, text string) error {
	return fmt.Errorf("must be %s, got %s", v.Range(), Quote(truncate(text, 60)))
}

// formatNumber formats a number as Lua does.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', 14, 64) }

type boolValue bool

func (v *boolValue) String() string    { return strconv.FormatBool(bool(*v)) }
func (v *boolValue) Any() any          { return bool(*v) }
func (v *boolValue) Range() string     { return "true or false" }
func (v *boolValue) Choices() []string { return []string{"false", "true"} }

func (v *boolValue) Set(text string) error {
	switch strings.ToLower(text) {
	case "true", "on", "yes", "1":
		*v = true
	case "false", "off", "no", "0":
		*v = false
	default:
		return mustBe(v, text)
	}
	return nil
}

type intValue struct {
	p      *int
	lo, hi int
}

func (v *intValue) String() string { return strconv.Itoa(*v.p) }
func (v *intValue) Any() any       { return float64(*v.p) }

func (v *intValue) Range() string {
	return bounds("a whole number", v.lo > math.MinInt, strconv.Itoa(v.lo), v.hi < math.MaxInt, strconv.Itoa(v.hi))
}

func (v *intValue) Set(text string) error {
	x, err := strconv.ParseInt(text, 10, strconv.IntSize)
	if err != nil || int(x) < v.lo || int(x) > v.hi {
		return mustBe(v, text)
	}
	*v.p = int(x)
	return nil
}

type floatValue struct {
	p      *float64
	lo, hi float64
}

func (v *floatValue) String() string { return formatNumber(*v.p) }
func (v *floatValue) Any() any       { return *v.p }

func (v *floatValue) Range() string {
	return bounds("a number", v.lo >= -math.MaxFloat64, formatNumber(v.lo), v.hi <= math.MaxFloat64, formatNumber(v.hi))
}

func (v *floatValue) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < v.lo || x > v.hi {
		return mustBe(v, text)
	}
	*v.p = x
	return nil
}

// orValue is a number with one more valid value: word stands for the number special.
type orValue[T comparable] struct {
	numberValue
	p       *T
	word    string
	special T
}

// numberValue is a value of a number.
type numberValue interface {
	VarValue
	TypedValue
	RangedValue
}

func (v *orValue[T]) is() bool { return *v.p == v.special }

func (v *orValue[T]) String() string {
	if v.is() {
		return v.word
	}
	return v.numberValue.String()
}

func (v *orValue[T]) Any() any {
	if v.is() {
		return v.word
	}
	return v.numberValue.Any()
}

func (v *orValue[T]) Range() string     { return v.word + ", or " + v.numberValue.Range() }
func (v *orValue[T]) Choices() []string { return []string{v.word} }

func (v *orValue[T]) Set(text string) error {
	if text == v.word {
		*v.p = v.special
		return nil
	}
	if v.numberValue.Set(text) != nil {
		return mustBe(v, text)
	}
	return nil
}

// bounds describes a range in words.
func bounds(what string, low bool, lo string, high bool, hi string) string {
	switch {
	case low && high:
		return what + " from " + lo + " to " + hi
	case low:
		return what + " of at least " + lo
	case high:
		return what + " of at most " + hi
	}
	return what
}

type stringValue string

func (v *stringValue) String() string        { return string(*v) }
func (v *stringValue) Set(text string) error { *v = stringValue(text); return nil }
func (v *stringValue) Range() string         { return "text" }

type enumValue struct {
	p     *string
	words []string
}

func (v *enumValue) String() string    { return *v.p }
func (v *enumValue) Choices() []string { return v.words }

func (v *enumValue) Range() string {
	last := len(v.words) - 1
	if last < 1 {
		return strings.Join(v.words, "")
	}
	return strings.Join(v.words[:last], ", ") + " or " + v.words[last]
}

func (v *enumValue) Set(text string) error {
	if !slices.Contains(v.words, text) {
		return mustBe(v, text)
	}
	*v.p = text
	return nil
}

type durationValue struct {
	p      *time.Duration
	lo, hi time.Duration
}

func (v *durationValue) String() string { return v.p.String() }
func (v *durationValue) Any() any       { return v.p.Seconds() }

func (v *durationValue) Range() string {
	return bounds("a duration", true, v.lo.String(), v.hi < math.MaxInt64, v.hi.String())
}

func (v *durationValue) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err != nil || d < v.lo || d > v.hi {
		return mustBe(v, text)
	}
	*v.p = d
	return nil
}

type funcValue struct {
	get func() string
	set func(text string) error
}

func (v funcValue) String() string { return v.get() }

func (v funcValue) Set(text string) error {
	if v.set == nil {
		return errors.New("cannot be set")
	}
	return v.set(text)
}

type hookValue struct {
	VarValue
	changed func() error
}

func (v hookValue) Any() any { return Any(v.VarValue) }

func (v hookValue) Range() string {
	if ranged, ok := v.VarValue.(RangedValue); ok {
		return ranged.Range()
	}
	return ""
}

func (v hookValue) Choices() []string {
	if chosen, ok := v.VarValue.(ChoiceValue); ok {
		return chosen.Choices()
	}
	return nil
}

func (v hookValue) Set(text string) error {
	before := v.VarValue.String()
	if err := v.VarValue.Set(text); err != nil {
		return err
	}
	err := v.changed()
	if err != nil {
		return errors.Join(err, v.VarValue.Set(before))
	}
	return nil
}
