package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

func TestTypes(t *testing.T) {
	_, err := parseArgs([]string{"int", "nubmer?"})
	assert.EqualError(t, err, `args[2]: unknown type "nubmer?", did you mean "number"? (types: any, bool, int, number, string, tag, vec, rot, object, client; ? after a type also allows nil)`)
	values := map[string]sim.Value{
		"bool": sim.Bool(true), "int": sim.Number(-3), "number": sim.Number(1.5), "string": sim.String("x"), "tag": sim.Tag("x"),
		"vec": sim.Vec(sim.Vec3{}), "rot": sim.Rotation(sim.Rot{}), "object": sim.Handle(7),
		"client": sim.Client(7, "Ann"),
	}
	require.Len(t, values, len(argTypes)-1)
	for _, name := range argTypes {
		list, err := parseArgs([]string{name, name + "?"})
		require.NoError(t, err)
		strict, loose := commandRule{Args: list[:1]}, commandRule{Args: list[1:]}
		for kind, v := range values {
			fits := kind == name || name == "any" || name == "number" && kind == "int"
			assert.Equal(t, fits, strict.Check(1, 0, []sim.Value{v}) == nil, "%s for %s", kind, name)
		}
		assert.Equal(t, name == "any", strict.Check(1, 0, nil) == nil, name)
		assert.NoError(t, loose.Check(1, 0, nil), name)
	}
	list, err := parseArgs([]string{"client"})
	require.NoError(t, err)
	own := commandRule{Args: list, ownClient: func(id sim.ID) bool { return id == 8 }}
	assert.Error(t, own.Check(1, 0, []sim.Value{sim.Handle(7)}), "an object is no client")
	assert.NoError(t, own.Check(1, 0, []sim.Value{sim.Handle(8)}), "on a server, a client is an object")
	assert.Error(t, (&commandRule{Args: []commandArg{}}).Check(1, 0, []sim.Value{sim.Nil()}), "an empty list accepts no arguments")
	assert.NoError(t, new(commandRule).Check(1, 0, []sim.Value{sim.Nil()}))
}

// TestRate counts the calls of each peer by simulation time.
func TestRate(t *testing.T) {
	r := commandRule{Rate: 2, Burst: 3}
	allowed := func(peer sim.ID, now int64) (n int) {
		for range 10 {
			if r.Check(peer, now, nil) == nil {
				n++
			}
		}
		return n
	}
	assert.Equal(t, []int{3, 3, 2, 0, 3}, []int{allowed(1, 0), allowed(2, 500), allowed(1, 1000), allowed(1, 1400), allowed(1, 9000)})
	r.Forget(2)
	assert.Equal(t, 3, allowed(2, 500))
}
