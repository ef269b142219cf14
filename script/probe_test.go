package script_test

import (
	"errors"

	"github.com/torc-engine/torc/engine/sim"
)

// Probe is a class with its own methods, events and moves.
type Probe struct {
	sim.NetObject
	data  sim.BlockRef
	heat  float64
	at    sim.Vec3
	moves []sim.Move
}

var _ sim.Controllable = (*Probe)(nil)

// ProbeData is the datablock of a Probe.
type ProbeData struct{ sim.Block }

func (p *Probe) probe() *Probe { return p }

// probed is any type that embeds a Probe.
type probed interface{ probe() *Probe }

func (p *Probe) Place() sim.Place        { return sim.Place{Position: p.at} }
func (p *Probe) Shown(float64) sim.Place { return p.Place() }
func (p *Probe) Tick(uint64)             {}
func (p *Probe) Interpolate(uint64)      {}
func (p *Probe) Driven()                 {}
func (p *Probe) Received(sim.Place)      {}
func (p *Probe) Control(m sim.Move)      { p.moves = append(p.moves, m) }
func (p *Probe) CodeControl(c sim.Coder) { c.FineVec(&p.at, 1000) }

func (p *Probe) heatBy(args []sim.Value) ([]sim.Value, error) {
	if len(args) == 0 || args[0].Kind() != sim.KindNumber {
		return nil, errors.New("by must be a number")
	}
	p.heat = min(max(p.heat+args[0].Number(), 0), 100)
	p.Mark(1 << 1)
	p.World().Emit(p.Object(), "onHeat", args...)
	return []sim.Value{sim.Number(p.heat)}, nil
}

// probes registers the classes, and functions that return their arguments.
func probes(cs *sim.Classes) {
	of := func(do func(p *Probe, args []sim.Value) ([]sim.Value, error)) func(sim.Object, []sim.Value) ([]sim.Value, error) {
		return func(o sim.Object, args []sim.Value) ([]sim.Value, error) { return do(o.(probed).probe(), args) }
	}
	echo := func(_ *sim.World, args []sim.Value) ([]sim.Value, error) { return args, nil }
	for _, c := range []sim.Class{
		{Name: "ProbeData", Parent: "SimDataBlock", New: func() sim.Object { return new(ProbeData) }, Doc: "Kinds of probes."},
		{
			Name: "Probe", Parent: "NetObject", New: func() sim.Object { return new(Probe) }, Doc: "Is looked at.",
			Fields: []sim.Field{
				sim.BlockField("dataBlock", 0, "ProbeData", func(p probed) *sim.BlockRef { return &p.probe().data }),
				sim.VecField("position", 2, 1000, func(p probed) *sim.Vec3 { return &p.probe().at }),
				sim.FloatField("heat", 1, 0, 100, func(p probed) *float64 { return &p.probe().heat }),
			},
			Methods: []sim.Method{
				{Name: "heatBy", Params: "by, [how]", Doc: "heats it", Do: of((*Probe).heatBy)},
				{Name: "isHot", Doc: "Whether it is.", Ghosts: true, Do: of(func(p *Probe, _ []sim.Value) ([]sim.Value, error) {
					return []sim.Value{sim.Bool(p.heat > 50)}, nil
				})},
				{Name: "back", Params: "a, b, c", Doc: "Gives back what it gets.", Do: of(func(_ *Probe, args []sim.Value) ([]sim.Value, error) { return args, nil })},
			},
		},
		{Name: "HotProbe", Parent: "Probe", New: func() sim.Object { return new(HotProbe) }, Methods: []sim.Method{
			{Name: "cool", Doc: "cools it", Do: func(o sim.Object, _ []sim.Value) ([]sim.Value, error) {
				_, err := o.(*HotProbe).heatBy([]sim.Value{sim.Number(-100)})
				return nil, err
			}},
		}},
	} {
		must(cs.Register(c))
	}
	must(cs.RegisterFunction(sim.Function{Name: "same", Params: "a, b", Doc: "gives back what it gets", Client: true, Do: echo}))
	must(cs.RegisterFunction(sim.Function{Name: "listed", Params: "...", Doc: "The same as a list.", List: true, Do: echo}))
}

// HotProbe inherits from Probe.
type HotProbe struct{ Probe }

func must(err error) {
	if err != nil {
		panic(err)
	}
}
