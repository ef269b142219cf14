package order_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/order"
)

type pair struct{ key, at int }

func byKey(a, b pair) int { return cmp.Compare(a.key, b.key) }

// TestOrder: lists of all lengths come out as from package slices.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 100 {
		var list []pair
		for i := range n {
			list = append(list, pair{r.IntN(1 + n/3), i})
		}
		want, got := slices.Clone(list), slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		order.StableBy(got, byKey)
		assert.Equal(t, want, got)
		order.By(list, func(a, b pair) int { return cmp.Or(byKey(a, b), cmp.Compare(a.at, b.at)) })
		assert.Equal(t, want, list)
	}
}
