package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/torc-engine/torc/engine/sim"
)

// flags gives a name to object 17.
type flags struct{}

func (flags) NameOf(id sim.ID) string {
	if id == 17 {
		return "RedFlag"
	}
	return ""
}

func expandAll(args ...sim.Value) ([]string, int) {
	var e expander
	cut := e.expandTags(args, flags{})
	var out []string
	for _, a := range args {
		out = append(out, a.Text())
	}
	return out, cut
}

func TestExpandTags(t *testing.T) {
	tag, str := sim.Tag, sim.String
	for name, x := range map[string]struct {
		args []sim.Value
		want string
	}{
		"documented, one level":     {[]sim.Value{tag("This %1 guy is super %2"), tag("Got Milk?"), tag("slow at writing documentation")}, "This Got Milk? guy is super slow at writing documentation"},
		"documented, nested":        {[]sim.Value{tag("%1 is a good %2 for %3"), tag("%1 the good %2"), tag("Role Model"), tag("SuperDood %1"), tag("the dude of super")}, "Role Model the good SuperDood the dude of super is a good Role Model for SuperDood the dude of super"},
		"missing argument":          {[]sim.Value{tag("hi %1 %2"), str("x")}, "hi x "},
		"plain string stays":        {[]sim.Value{str("plain %1"), str("x")}, "plain %1"},
		"percent percent":           {[]sim.Value{tag("100%% %1"), tag("y")}, "100% y"},
		"percent other":             {[]sim.Value{tag("%a% %0 %% %%1 %%%1 %ä"), str("x")}, "%a% %0 % %1 %x %ä"},
		"percent at the end":        {[]sim.Value{tag("50%"), str("x")}, "50%"},
		"percents in pairs":         {[]sim.Value{tag("%%%"), str("x")}, "%%"},
		"a percent of an argument":  {[]sim.Value{tag("%1 %2"), str("5%1"), tag("%%")}, "5%1 %"},
		"%12 is %1 and 2":           {[]sim.Value{tag("%12"), str("x")}, "x2"},
		"nil is nothing":            {[]sim.Value{tag("[%1]"), sim.Nil()}, "[]"},
		"booleans":                  {[]sim.Value{tag("%1 %2"), sim.Bool(true), sim.Bool(false)}, "true false"},
		"numbers":                   {[]sim.Value{tag("%1 %2 %3"), sim.Number(3), sim.Number(0.1), sim.Number(1e20)}, "3 0.1 1e+20"},
		"vectors":                   {[]sim.Value{tag("%1"), sim.Vec(sim.Vec3{X: 1, Y: 2.5, Z: -3})}, "1 2.5 -3"},
		"objects":                   {[]sim.Value{tag("%1 %2"), sim.Handle(17), sim.Handle(18)}, "RedFlag 18"},
		"an expanded tag is a text": {[]sim.Value{sim.Expanded("%1"), str("x")}, "%1"},
		"nine is the last":          {[]sim.Value{tag("%9"), str("1"), str("2"), str("3"), str("4"), str("5"), str("6"), str("7"), str("8"), str("9")}, "9"},
		"the empty tag":             {[]sim.Value{tag("")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, cut := expandAll(x.args...)
			assert.Equal(t, x.want, got[0])
			assert.Zero(t, cut)
		})
	}
}

func TestExpansionIsBounded(t *testing.T) {
	args := make([]sim.Value, maxArgs)
	for i := range args {
		args[i] = sim.Tag(strings.Repeat("%1%2%3%4%5%6%7%8%9", 50))
	}
	args[maxArgs-1] = sim.Tag(strings.Repeat("x", maxTag))
	got, cut := expandAll(args...)
	total := 0
	for _, s := range got {
		assert.LessOrEqual(t, len(s), maxExpandedArg)
		total += len(s)
	}
	assert.LessOrEqual(t, total, maxExpandedCall)
	assert.NotZero(t, cut)
}

func BenchmarkExpandWorst(b *testing.B) {
	var e expander
	args := make([]sim.Value, maxArgs)
	for b.Loop() {
		for i := range args {
			args[i] = sim.Tag("%1%2%3%4%5%6%7%8%9%1%2%3%4%5%6%7%8%9%1%2%3%4%5%6%7%8%9")
		}
		args[maxArgs-1] = sim.String("sixteen letters!")
		e.expandTags(args, nil)
	}
}
