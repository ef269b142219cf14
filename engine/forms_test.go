package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/form"
)

// formScripts notes the ends of forms.
type formScripts struct {
	engine.Scripts
	ends  []string
	again func(c *engine.Connection) // called in each end
}

func (s *formScripts) FormEnded(c *engine.Connection, number uint32, a engine.FormAnswer) {
	end := fmt.Sprint(number, " closed")
	if a.Given {
		end = fmt.Sprint(number, " ", a.Button)
		for _, e := range a.Values {
			end += fmt.Sprint(" ", e.Name, "=", e.Text, e.Number)
		}
	}
	s.ends = append(s.ends, end)
	if s.again != nil {
		s.again(c)
	}
}

// took returns the ends since the last call.
func (s *formScripts) took() []string {
	ends := s.ends
	s.ends = nil
	return ends
}

// A formRig is a game of a server and a client that shows forms.
type formRig struct {
	*enginetest.Rig
	*formScripts
	t     *testing.T
	shown [][]*form.Form // by change
}

func newFormRig(t *testing.T, o enginetest.Options) *formRig {
	r := &formRig{t: t}
	o.Both = func(cfg *engine.Config) {
		cfg.Forms = func(_ *engine.Connection, shown []*form.Form) { r.shown = append(r.shown, shown) }
	}
	r.Rig = enginetest.New(t, o)
	r.formScripts = &formScripts{Scripts: r.Server.Story}
	r.Server.Host.SetScripts(r.formScripts)
	r.Join()
	return r
}

func (r *formRig) open(mod, name string, rows ...form.Row) error {
	if rows == nil {
		rows = []form.Row{{Kind: form.Field, Name: "n", Text: "How many", Numeric: true, Max: 9}, {Kind: form.Button, Name: "buy", Text: "Buy"}}
	}
	return r.Peer(0).Forms().Open(mod, form.Form{Name: name, Title: "Title of " + name, Rows: rows}, func(uint32) {})
}

func (r *formRig) client() *engine.Forms { return r.Clients[0].Host.Server().Forms() }

// names returns the forms that the client shows.
func (r *formRig) names() (list []string) {
	for _, f := range r.client().Shown() {
		list = append(list, f.Name)
	}
	return list
}

// TestFormsAreShownAndAnswered walks the life of a form, over a good line and a bad one.
func TestFormsAreShownAndAnswered(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := newFormRig(t, o)
		require.NoError(t, r.open("m", "shop"))
		r.Run(time.Second)
		require.Equal(t, []string{"shop"}, r.names())
		f := r.client().Shown()[0]
		assert.Equal(t, []any{"Title of shop", "How many", uint32(1)}, []any{f.Title, f.Rows[0].Text, f.Number})
		require.NoError(t, r.client().Answer(form.Answer{Number: 1, Button: 1, Values: []form.Value{{Number: 3}}}))
		assert.True(t, r.client().Shown()[0].Answered, "it waits for the server")
		r.Run(time.Second)
		assert.Equal(t, []string{"1 buy n=3"}, r.took())
		assert.Empty(t, r.names())

		require.NoError(t, r.open("m", "shop"))
		r.Run(time.Second)
		require.NoError(t, r.client().Answer(form.Answer{Number: 2, Closed: true}))
		assert.Empty(t, r.names(), "at once")
		r.Run(time.Second)
		assert.Equal(t, []string{"2 closed"}, r.took())

		require.NoError(t, r.open("m", "shop"))
		r.Run(time.Second)
		assert.True(t, r.Peer(0).Forms().Close("m", "shop"))
		assert.False(t, r.Peer(0).Forms().Close("m", "shop"))
		assert.Equal(t, []string{"3 closed"}, r.took())
		r.Run(time.Second)
		assert.Empty(t, r.names())
		assert.Empty(t, r.shown[len(r.shown)-1], "the program is told")
	})
}

// TestTheNewestFormOfANameReplacesIt also in the answer of the old one. An answer to the old one is
// dropped.
func TestTheNewestFormOfANameReplacesIt(t *testing.T) {
	r := newFormRig(t, enginetest.Options{})
	require.NoError(t, r.open("m", "shop"))
	require.NoError(t, r.open("other", "shop"))
	require.NoError(t, r.open("m", "shop"))
	assert.Equal(t, []string{"1 closed"}, r.took())
	r.Run(time.Second)
	require.Equal(t, []string{"shop", "shop"}, r.names())
	assert.Equal(t, []uint32{3, 1}, []uint32{r.client().Shown()[0].Number, r.client().Shown()[0].Replaces})

	require.NoError(t, r.open("m", "shop"))
	require.NoError(t, r.client().Answer(form.Answer{Number: 3, Button: 1}), "the client does not know yet")
	r.Run(time.Second)
	assert.Equal(t, []string{"3 closed"}, r.took())
	assert.Equal(t, 1, r.Peer(0).Forms().Stats.Old)
	assert.Equal(t, uint32(4), r.client().Shown()[0].Number)

	r.again = func(*engine.Connection) { r.again = nil; require.NoError(t, r.open("m", "shop")) }
	require.NoError(t, r.client().Answer(form.Answer{Number: 4, Button: 1}))
	r.Run(time.Second)
	assert.Equal(t, []string{"4 buy n=0"}, r.took())
	assert.Equal(t, []uint32{5, 4}, []uint32{r.client().Shown()[0].Number, r.client().Shown()[0].Replaces})
	assert.Len(t, r.names(), 2)

	r.again = func(*engine.Connection) { r.again = nil; require.NoError(t, r.open("m", "shop")) }
	assert.ErrorContains(t, r.open("m", "shop"), `the form "shop" was opened again while it was replaced`)
}

// TestTwoHundredButtonsComeFast: the title and 20 rows with the next packet, all within 8 ticks at
// 31 packets/s.
func TestTwoHundredButtonsComeFast(t *testing.T) {
	r := newFormRig(t, enginetest.Options{})
	r.Server.Settings.MaxRate = 31.25
	r.Server.Apply()
	r.Run(time.Second)
	var rows []form.Row
	for i := range 200 {
		rows = append(rows, form.Row{Kind: form.Button, Text: fmt.Sprintf("%.16s", []string{"heavy weapons pack", "light ammunition x", "sniper scope large", "repair kit medium x"}[i%4])})
	}
	bytes := r.Peer(0).Events().Queued()
	require.NoError(t, r.open("m", "shop", rows...))
	require.Greater(t, r.Peer(0).Events().Queued(), bytes)
	began := len(r.shown)
	r.Until(time.Second, func() bool { return len(r.shown) > began })
	first := r.Server.TickNumber()
	assert.Equal(t, "Title of shop", r.client().Shown()[0].Title)
	r.Run(time.Millisecond)
	assert.GreaterOrEqual(t, len(r.client().Shown()[0].Rows), 20)
	r.Until(time.Second, func() bool { return r.client().Shown()[0].Complete() })
	assert.LessOrEqual(t, r.Server.TickNumber()-first, uint64(8))
}

// TestNoModTakesThePlacesOfOthers fills the places of a client, with 1, 32 and 250 mods.
func TestNoModTakesThePlacesOfOthers(t *testing.T) {
	for _, mods := range []int{1, 32, 250} {
		r := newFormRig(t, enginetest.Options{})
		for i := range form.MaxOpen {
			require.NoError(t, r.open("greedy", fmt.Sprint("f", i)))
		}
		assert.EqualError(t, r.open("greedy", "f4"), "the client has 4 open forms: close one first")
		require.NoError(t, r.open("greedy", "f0"), "of a name that is open")
		assert.Equal(t, []string{"1 closed"}, r.took())
		for i := range mods {
			err := r.open(fmt.Sprint("m", i), "f")
			if i < form.MaxOpen-1 {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "close one first")
			}
		}
		assert.Empty(t, r.took(), "another mod runs")
		r.Run(time.Second)
		assert.Len(t, r.took(), min(mods, form.MaxOpen-1), "the greedy mod is told of its ends")
		assert.Len(t, r.names(), form.MaxOpen)
	}
}

// TestFormsEndWithTheConnection on both sides.
func TestFormsEndWithTheConnection(t *testing.T) {
	r := newFormRig(t, enginetest.Options{})
	require.NoError(t, r.open("m", "a"))
	require.NoError(t, r.open("m", "b"))
	r.Run(time.Second)
	c := r.Peer(0)
	c.Disconnect("enough")
	r.Run(time.Second)
	assert.Equal(t, []string{"1 closed", "2 closed"}, r.took())
	assert.Empty(t, r.shown[len(r.shown)-1])
	assert.Error(t, c.Forms().Open("m", form.Form{}, nil))
}

// TestNobodyElseSeesAForm: another client, a bot and a spectator.
func TestNobodyElseSeesAForm(t *testing.T) {
	r := newFormRig(t, enginetest.Options{Clients: 2})
	require.NoError(t, r.open("m", "shop"))
	r.Run(time.Second)
	assert.Len(t, r.Clients[0].Host.Server().Forms().Shown(), 1)
	assert.Empty(t, r.Clients[1].Host.Server().Forms().Shown())
	bot, err := r.Server.AddBot("Bo")
	require.NoError(t, err)
	r.Run(time.Second)
	require.NoError(t, bot.Forms().Open("m", *r.client().Shown()[0], func(uint32) {}), "it is a player like any other")
	r.Run(time.Second)
	assert.True(t, bot.Forms().Close("m", "shop"))
}

// TestHostileAnswersAreDroppedAndCounted sends what no client of this code sends.
func TestHostileAnswersAreDroppedAndCounted(t *testing.T) {
	r := newFormRig(t, enginetest.Options{})
	require.NoError(t, r.open("m", "shop"))
	r.Run(time.Second)
	send := func(a form.Answer) { engine.PostAnswer(r.Clients[0].Host.Server(), a) }
	long := strings.Repeat("x", form.MaxInput)
	bad := []form.Answer{
		{Number: 1, Button: 0}, {Number: 1, Button: 200}, {Number: 1, Button: form.NoButton},
		{Number: 1, Button: 1, Values: []form.Value{{IsText: true, Text: long}}},
		{Number: 1, Button: 1, Values: []form.Value{{Number: 99}}},
		{Number: 1, Button: 1, Values: []form.Value{{Number: 1}, {Number: 1}}},
		{Number: 1, Button: 1, Values: []form.Value{{Row: 1, Number: 1}}},
		{Number: 1, Button: 1, Values: []form.Value{{Row: 255, Number: 1}}},
	}
	for _, a := range bad {
		send(a)
	}
	send(form.Answer{Number: 77, Button: 1})
	send(form.Answer{Number: 77, Closed: true})
	r.Run(time.Second)
	assert.Empty(t, r.took())
	assert.Equal(t, engine.FormStats{Opened: 1, Old: 2, Refused: len(bad)}, r.Peer(0).Forms().Stats)
	require.Len(t, r.names(), 1, "the connection goes on")

	for range 400 {
		send(form.Answer{Number: 77, Closed: true})
	}
	r.Run(2 * time.Second)
	assert.Greater(t, r.Peer(0).Commands.Stats.RefusedCommands, 100, "answers count as commands")
	assert.Less(t, r.Peer(0).Forms().Stats.Old, 300)
}

// TestFormsGoOneWay: a form to a server, and an answer to a client, end the connection.
func TestFormsGoOneWay(t *testing.T) {
	for _, toServer := range []bool{true, false} {
		r := newFormRig(t, enginetest.Options{})
		c := r.Peer(0)
		if toServer {
			engine.PostForm(r.Clients[0].Host.Server())
		} else {
			engine.PostAnswer(c, form.Answer{Number: 1, Closed: true})
		}
		r.Run(time.Second)
		why, over := c.Net().Closed()
		assert.True(t, over)
		assert.Contains(t, why.Text, "a form or a bind goes to a client, and an answer to the server")
	}
}

// TestAHostileServerKeepsNoMemory: forms without ends, and rows that were not announced.
func TestAHostileServerKeepsNoMemory(t *testing.T) {
	r := newFormRig(t, enginetest.Options{})
	c, row := r.Peer(0), []form.Row{{Text: strings.Repeat("x", 1000)}}
	for n := range uint32(100) {
		engine.PostPiece(c, &form.Piece{Number: n + 1, Head: true, Name: "x", Total: 1, Rows: row})
	}
	r.Run(5 * time.Second)
	assert.Len(t, r.names(), 16)
	engine.PostPiece(c, &form.Piece{Number: 100, Rows: row})
	r.Run(time.Second)
	why, over := c.Net().Closed()
	assert.True(t, over)
	assert.Contains(t, why.Text, "more rows than the 1 that were announced")
}

// TestFormsOfASlowClientAreBounded: a mod gets an error before the queue is full.
func TestFormsOfASlowClientAreBounded(t *testing.T) {
	r := newFormRig(t, enginetest.Options{})
	r.Clients[0].Host.Server().Line.SetLink(engine.LinkParams{Loss: 1})
	var err error
	row := form.Row{Text: strings.Repeat("Zq#7", 250)}
	for i := 0; i < 100 && err == nil; i++ {
		err = r.open("m", "shop", row, row, row, row, row, row, row, row, row, row)
	}
	assert.ErrorContains(t, err, "bytes of this mod's commands and forms yet")
	require.NoError(t, r.open("other", "shop"), "another mod is not concerned")
}
