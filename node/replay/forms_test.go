package replay_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// raffle is a mod with a form that its answers open again. Each end draws a lot, and the next form
// shows the lot, so an end that a replay misses, makes twice or in another order changes the
// packets.
const raffle = `
Disc = datablock "ItemData" "Disc" { mass = 2 }
ends, last = 0, ""
local function ask(client, lot)
  client:form { name = "raffle", title = client.name .. " " .. lot, rows = {
    { kind = "field", name = "note", text = "Note", value = "hi" },
    { kind = "field", name = "n", text = "How many", min = 1, max = 9, integer = true },
    { kind = "choice", name = "car", text = "Car", choices = { "fast", "safe" } },
    { kind = "slider", name = "speed", text = "Speed", step = 0.25 },
    { kind = "table", name = "who", columns = { "Name" }, rows = { { "Ann" }, { "Bob" } } },
    { kind = "bar", text = "Luck", value = math.random() },
    { kind = "look", text = "A disc", look = Disc },
    { kind = "button", name = "again", text = "Again" },
    { kind = "button", name = "leave", text = "Leave" },
  }, done = function(client, values)
    ends = ends + 1
    if not values then commandToClient(client, "Lot", math.random()) return end
    last = ("%s %s %d %d %g %d"):format(values.button, values.note, values.n, values.car, values.speed, values.who)
    local lot = math.random(1, 1e6) + #values.note + values.n + values.car + values.speed + values.who
    if values.button == "again" then ask(client, lot) end
  end }
end
addCommand { name = "raffle", run = function()
  for c in clientGroup:each() do ask(c, math.random(1, 1e6)) end
end }
addCommand { name = "over", run = function()
  for c in clientGroup:each() do c:closeForm "raffle" end
end }
export("told", function() return ends, last end)
`

// A raffleDay is a match in which players answer forms. It has a journal.
type raffleDay struct {
	*nodetest.Virtual
	t       *testing.T
	journal bytes.Buffer
}

func newRaffleDay(t *testing.T, players int) *raffleDay {
	d := &raffleDay{t: t}
	cfg := node.Config{
		Common: node.Common{Mods: []fs.FS{os.DirFS(modFolder(t, raffle))}},
		Server: node.ServerConfig{Load: []string{"diary"}, Journal: &node.Journal{Writer: &d.journal}},
	}
	d.Virtual = nodetest.NewVirtual(t, cfg, players)
	d.Run(t, time.Second)
	return d
}

// line runs a line of the operator.
func (d *raffleDay) line(line string) string {
	d.t.Helper()
	out, err := d.Server.Console().Exec(line)
	require.NoError(d.t, err, line)
	return out
}

// answer presses a button of the form that a player sees, with a value of each kind.
func (d *raffleDay) answer(player, button, n int) {
	d.t.Helper()
	shown := d.Clients[player].Host().Server().Forms().Shown()
	require.Len(d.t, shown, 1)
	require.True(d.t, shown[0].Complete())
	require.NoError(d.t, d.Clients[player].AnswerForm(form.Answer{Number: shown[0].Number, Button: button, Values: []form.Value{
		{Row: 0, IsText: true, Text: fmt.Sprint("note ", n)}, {Row: 1, Number: float64(1 + n%9)}, {Row: 2, Number: float64(1 + n%2)},
		{Row: 3, Number: float64(n%5) / 4}, {Row: 4, Number: float64(1 + n%2)},
	}}))
}

// TestReplayOfForms checks that the answers of players run again at the same places: values of each
// kind, forms that a player or the mod closes, answers to forms that were replaced meanwhile, and
// the forms of a mod that is disabled.
func TestReplayOfForms(t *testing.T) {
	const again, leave = 7, 8
	d := newRaffleDay(t, 3)
	d.line("raffle")
	settle := 150 * time.Millisecond
	d.Run(t, settle)
	for n := range 4 {
		for player := range d.Clients {
			d.answer(player, again, n+player)
			d.Run(t, time.Duration(7*n)*time.Millisecond)
		}
		d.Run(t, settle)
	}
	assert.Equal(t, `12	"again note 5 6 2 0 2"`, d.line(`= import("diary").told()`))

	d.line("raffle")
	d.answer(0, again, 1)
	require.NoError(t, d.Clients[1].AnswerForm(form.Answer{Number: d.Clients[1].Host().Server().Forms().Shown()[0].Number, Closed: true}))
	d.Run(t, settle)
	assert.Equal(t, "15", d.line(`= (import("diary").told())`), "replaced, and not answered")
	_, err := d.Clients[2].Console().Exec("form close")
	require.NoError(t, err)
	d.answer(1, leave, 2)
	d.Run(t, settle)
	assert.Equal(t, `17	"leave note 2 3 1 0.5 1"`, d.line(`= import("diary").told()`))
	d.line("over")
	d.line("raffle")
	d.Run(t, settle)
	var stats []engine.FormStats
	for _, c := range d.Server.Host().Connections() {
		stats = append(stats, c.Forms().Stats)
	}
	assert.Equal(t, []engine.FormStats{{Opened: 7, Answers: 4, Old: 1}, {Opened: 7, Answers: 5, Old: 1}, {Opened: 7, Answers: 4}}, stats)
	d.line("mod disable diary")
	d.Run(t, settle)
	for _, c := range d.Clients {
		assert.Empty(t, c.Host().Server().Forms().Shown())
	}
	require.NoError(t, d.Server.Close())

	r, err := runAgain(t, d.journal.Bytes(), replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, d.Server.Host().TickNumber(), r.Tick())
}
