package nodetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestValuesThatCanSurvive(t *testing.T) {
	saved := put{number: 1, acked: true}
	for _, c := range []struct {
		name          string
		puts          []put
		crash, orders []int // the values that are right after a crash, and after an orderly end
	}{
		{"acknowledged", []put{saved}, []int{1}, []int{1}},
		{"under way", []put{saved, {number: 2}, {number: 3}}, []int{1, 2, 3}, []int{3}},
		{"failed", []put{saved, {number: 2, naked: true}}, []int{1}, []int{1}},
		{"a deletion", []put{saved, {number: 2, gone: true}}, []int{1, 0}, []int{0}},
		{"without an answer because of a reload", []put{saved, {number: 2, lost: true}}, []int{1, 2}, []int{1, 2}},
	} {
		h := history{c.puts}
		for value := range 5 {
			assert.Equal(t, slices.Contains(c.crash, value), h.check(value, false) == "", "%s, after a crash: %d", c.name, value)
			assert.Equal(t, slices.Contains(c.orders, value), h.check(value, true) == "", "%s, after an orderly end: %d", c.name, value)
		}
	}
}
