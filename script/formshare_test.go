package script_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
)

// quizMod shows each client four forms, one to Honest, and opens each again when it is answered. An
// answer takes 60,000 instructions, but for that of Honest. The share of a client in a tick is
// 20,000.
const quizMod = `
	served, answers = {}, 0
	local function work(n) for i = 1, n do local x = i * i end end
	local function ask(client, name)
		client:form { name = name, rows = {
			{ kind = "field", name = "n", min = 0, max = 9, integer = true }, { kind = "button", name = "go" },
		}, done = function(client, values)
			if not values then return end
			ask(client, name)
			if client.name == "Honest" then served[#served + 1] = tick() return end
			answers = answers + 1
			work(15000)
		end }
	end
	export("start", function()
		for client in clientGroup:each() do
			for i = 1, client.name == "Honest" and 1 or 4 do ask(client, "f" .. i) end
		end
	end)
	export("served", function() return #served, served[#served] or 0 end)`

// A quiz is a server with quizMod and players without Lua.
type quiz struct {
	*pair
	players []*engine.Host // the last is Honest
}

func newQuiz(t *testing.T, greedy int) *quiz {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": quizMod}))
	h.host.Admission.MaxClients = greedy + 1
	q := &quiz{pair: &pair{net: netsim.New(1), server: h.load("m"), client: h}}
	q.net.Attach(netcore.SimAddr(1), h.host)
	h.scripts.Runtime.LimitsVar().Ticking = 200_000
	for i := range greedy + 1 {
		q.add(t, stockClasses(), uint16(2+i), map[bool]string{true: "Honest"}[i == greedy])
	}
	q.run(500 * time.Millisecond)
	require.Len(t, h.host.Connections(), greedy+1)
	require.Empty(t, h.line(`import("m").start()`))
	return q
}

func (q *quiz) add(t *testing.T, classes *sim.Classes, n uint16, name string) {
	entropy := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)})
	id, err := seal.NewIdentity(entropy)
	require.NoError(t, err)
	h := engine.NewHost(engine.Config{
		Name: fmt.Sprint("player ", n), Classes: classes, Identity: id, Entropy: entropy,
		Resolve: engine.ResolveTo(netcore.SimAddr(1)), Trust: func(string, seal.Key) error { return nil },
	})
	q.players = append(q.players, h)
	q.net.Attach(netcore.SimAddr(n), h)
	q.net.Link(netcore.SimAddr(n), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
	require.NoError(t, h.Dialer.Connect("x:1", engine.ConnectArgs{Name: name}))
}

// press answers an open form well.
func press(h *engine.Host, f *form.Form) error {
	return h.Server().Forms().Answer(form.Answer{Number: f.Number, Button: 1, Values: []form.Value{{Number: 9}}})
}

// flood answers all forms that a player sees, and one of them also out of its range, and as if it
// were an old one. The client's own check would refuse these, so its form is bent for a moment.
func flood(t *testing.T, h *engine.Host) {
	shown := h.Server().Forms().Shown()
	if len(shown) == 0 {
		return
	}
	f := shown[0]
	kept, values := *f, []form.Value{{Number: 77}}
	f.Answered, f.Rows[0].Max = false, 99
	require.NoError(t, h.Server().Forms().Answer(form.Answer{Number: f.Number, Button: 1, Values: values}))
	for range 3 {
		f.Answered, f.Number = false, 1_000_000
		require.NoError(t, h.Server().Forms().Answer(form.Answer{Number: f.Number, Button: 1, Values: values}))
	}
	f.Rows[0].Max = 9
	f.Answered, f.Number = kept.Answered, kept.Number
	for _, f := range shown {
		if !f.Answered {
			require.NoError(t, press(h, f))
		}
	}
}

// TestAnswersUseUpTheirOwnShare checks that players who answer forms as fast as they can, also
// wrongly, do not delay the answers of a player who answers now and then, and has a higher id.
func TestAnswersUseUpTheirOwnShare(t *testing.T) {
	for _, greedy := range testenv.Length([]int{1, 16}, []int{1, 32, 250}) {
		t.Run(fmt.Sprint(greedy), func(t *testing.T) {
			q := newQuiz(t, greedy)
			q.run(4 * engine.TickTime)
			honest, m, pressed := q.players[greedy], q.server.scripts.Runtime.Mod("m"), 0
			before, ticks := m.Usage.Instructions, testenv.Length(16, 48)
			for tick := range ticks {
				for _, h := range q.players[:greedy] {
					flood(t, h)
				}
				if tick%4 == 0 {
					require.Len(t, honest.Server().Forms().Shown(), 1)
					require.NoError(t, press(honest, honest.Server().Forms().Shown()[0]), "the server has replied")
					pressed++
				}
				q.run(engine.TickTime)
			}
			used := (m.Usage.Instructions - before) / int64(ticks)
			t.Logf("%d instructions in a tick", used)
			if greedy == 1 {
				assert.InDelta(t, 20_000, used, 8000, "a share, and what a call uses beyond it")
			}
			assert.Less(t, used, int64(170_000))
			assert.Equal(t, fmt.Sprint(pressed), q.server.line(`= (import("m").served())`))
			for i, c := range q.server.host.Connections() {
				if stats := c.Forms().Stats; i == greedy {
					assert.Equal(t, engine.FormStats{Opened: pressed + 1, Answers: pressed}, stats)
				} else if greedy == 1 {
					assert.True(t, stats.Answers > 4 && stats.Refused > 2 && stats.Old > 6, stats)
				}
			}
			q.server.withoutSuspensions(t)
		})
	}
}
