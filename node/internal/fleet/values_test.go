package fleet

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script/store"
)

// TestPartsOfABucket: values that come in parts count when the last part is there. A bucket counts
// by its first part, because changes of other groups come meanwhile, unless the next life of the
// bucket does.
func TestPartsOfABucket(t *testing.T) {
	var log strings.Builder
	s, err := New(&core.Core{Owner: &core.Owner{Log: slog.New(slog.NewTextHandler(&log, nil))}}, Options{Joins: &Joins{Name: "hub"}})
	require.NoError(t, err)
	v := s.values
	for _, set := range []string{"m-shared", "other-shared"} {
		_, _, err = v.Load(set)
		require.NoError(t, err)
	}
	tell := func(mod string, epoch bus.Epoch, last bus.Revision, more bool) store.News {
		group := bus.Group{Bucket: bus.Shared, Name: mod}
		s.Hear(&bus.News{Loaded: &bus.Loaded{Group: group, Epoch: epoch, Last: last, More: more, Values: []bus.Value{{Key: "k", Data: []byte("v"), Rev: 1}}}})
		news := v.News()
		require.Len(t, news, 1)
		return news[0]
	}
	first, next := bus.Epoch{Count: 1, ID: 1}, bus.Epoch{Count: 2, ID: 2}
	assert.True(t, tell("m", first, 10, true).Part)
	assert.Empty(t, v.epochs(), "a mod sees nothing yet")
	assert.True(t, tell("other", first, 20, false).Whole)
	assert.True(t, tell("m", first, 10, false).Whole, "it was not older when it began to come")
	assert.Equal(t, map[string]bus.Epoch{"m-shared": first, "other-shared": first}, v.epochs())
	assert.Equal(t, bucketLife{first, 20}, v.bucketLife)

	assert.True(t, tell("m", first, 30, true).Part)
	assert.True(t, tell("other", next, 5, false).Anew)
	assert.True(t, tell("m", first, 30, true).Held, "the fleet was restored meanwhile")
	assert.True(t, tell("m", first, 30, false).Held)
	assert.Equal(t, bucketLife{next, 5}, v.bucketLife)
	part := tell("m", next, 6, true)
	assert.True(t, part.Part && part.Anew)
	whole := tell("m", next, 6, false)
	assert.True(t, whole.Whole && whole.Anew)
	assert.Equal(t, next, v.epochs()["m-shared"])

	orders := &orderList{}
	s.bus = orders
	_, _, err = v.Load("late-shared")
	require.NoError(t, err)
	require.Len(t, orders.list, 1)
	follow := orders.list[0].(bus.Follow)
	assert.Equal(t, bus.Follow{Group: bus.Group{Bucket: bus.Shared, Name: "late"}, Epoch: next, Newest: 6}, bus.Follow{Group: follow.Group, Epoch: follow.Epoch, Newest: follow.Newest}, "the bus learns what this server has seen")
}

// An orderList is a bus that only notes its orders.
type orderList struct{ list []bus.Order }

func (o *orderList) Do(order bus.Order)        { o.list = append(o.list, order) }
func (*orderList) Take() []bus.News            { return nil }
func (*orderList) Close(_ time.Duration) error { return nil }
