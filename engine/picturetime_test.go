package engine_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// pictureTimes is what a client sees of a game while a picture comes.
type pictureTimes struct {
	took time.Duration // until the picture is there
	late float64       // mean age of its newest command, in ticks
	most int           // the largest
	old  float64       // mean age of the state of its ghosts, in ticks
}

// pictureOverLine opens a form with one row for a client behind a line. Each tick of the server
// changes the objects and sends a command. It returns what the client sees until the row's picture
// is there, or for a time. A known line has carried another picture before.
func pictureOverLine(t *testing.T, line netcore.LinkParams, objects int, known bool, row form.Row, least time.Duration) (p pictureTimes) {
	r := newFormRig(t, enginetest.Options{Up: line, Down: line})
	things := r.things(objects)
	r.Run(500 * time.Millisecond)
	n, lines := 0, len(r.Clients[0].Lines)
	r.Server.Schedule().Every(r.Server.Host.Now(), engine.TickMs, sim.Owner{}, func() {
		r.beat(things, n)
		n++
	})
	r.Run(time.Second)
	if known {
		require.NoError(t, r.open("m", "shop", imageOf(whitePicture(t, 7))))
		r.Until(time.Minute, func() bool { return r.pictureOf(0, 0) != nil })
		r.Peer(0).Forms().Close("m", "shop")
		r.Run(time.Second)
	}
	require.NoError(t, r.open("m", "shop", row))
	began := n
	for shown := row.Picture == nil; !shown || time.Duration(n-began)*engine.TickTime < least; {
		r.Run(engine.TickTime)
		late := n - (len(r.Clients[0].Lines) - lines)
		p.late, p.most = p.late+float64(late), max(p.most, late)
		p.old += age(t, r.Clients[0].Host, n)
		if !shown && r.pictureOf(0, 0) != nil {
			shown, p.took = true, time.Duration(n-began)*engine.TickTime
		}
		require.Less(t, n, 2000)
	}
	p.late, p.old = p.late/float64(n-began), p.old/float64(n-began)
	return p
}

// age returns the mean age of the ghosts of a host in ticks, when n is the present one.
func age(t *testing.T, h *engine.Host, n int) float64 {
	sum, ghosts := 0, 0
	h.World().Each(h.World().Classes().Lookup("Thing"), func(o sim.Object) bool {
		id, at := 0, 0
		_, err := fmt.Sscanf(o.(*enginetest.Thing).Label, "%d at %d", &id, &at)
		require.NoError(t, err)
		sum, ghosts = sum+n-at, ghosts+1
		return true
	})
	return float64(sum) / float64(max(ghosts, 1))
}

// whitePicture returns a picture of noise, of nearly 16 kB.
func whitePicture(t *testing.T, seed uint64) *picture.Picture {
	m, rng := image.NewNRGBA(image.Rect(0, 0, 63, 63)), rand.New(rand.NewPCG(seed, 0))
	for i := range m.Pix {
		m.Pix[i] = byte(rng.Uint32())
	}
	return encoded(t, m)
}

// TestPicturesTakeTheTimeOfTheirBytes: a picture of 16 kB comes about as fast as its line carries
// the bytes, beside objects and commands that change in each tick. On a new connection the rate of
// the line is a guess. The objects and the commands are as new as without the picture, and on a
// slow line nearly so. A full line has little room for a picture, and others keep theirs.
func TestPicturesTakeTheTimeOfTheirBytes(t *testing.T) {
	const kbit = 1000 / 8
	file := whitePicture(t, 2)
	type onLine struct {
		rate    int // kbit/s
		delay   time.Duration
		loss    float64
		objects int
		known   bool
		most    time.Duration
		later   float64 // ticks by which commands and objects can be older
	}
	for _, c := range testenv.Every(5, []onLine{
		{10_000, 10, 0, 0, false, 400, 0}, {10_000, 40, 0, 20, false, 900, 0}, {10_000, 40, 0, 20, true, 500, 0},
		{1000, 40, 0, 20, false, 900, 0}, {1000, 40, 0, 20, true, 500, 0.5}, {1000, 40, 0.05, 20, true, 900, 0.5},
		{512, 40, 0, 20, false, 1000, 0.5}, {512, 40, 0, 20, true, 1200, 0.5},
		{256, 40, 0, 5, false, 1400, 1.5}, {256, 40, 0, 5, true, 1400, 1.5},
		{128, 40, 0, 5, false, 2500, 3}, {128, 40, 0, 5, true, 2500, 3},
		{64, 40, 0, 2, false, 7000, 4}, {64, 40, 0, 2, true, 7000, 4},
		{64, 40, 0, 40, false, 60_000, 3}, {64, 40, 0, 40, true, 60_000, 3},
	}) {
		line := netcore.LinkParams{Delay: c.delay * time.Millisecond, Bandwidth: c.rate * kbit, Loss: c.loss}
		with := pictureOverLine(t, line, c.objects, c.known, imageOf(file), 0)
		alone := pictureOverLine(t, line, c.objects, c.known, form.Row{Text: "a sword"}, with.took)
		name := fmt.Sprintf("%d kbit/s, %v, loss %g, %d objects, known: %v", c.rate, line.Delay, c.loss, c.objects, c.known)
		t.Logf("%s: %d bytes in %v; commands %.2f (most %d) ticks old, without %.2f (%d); objects %.2f, without %.2f",
			name, len(file.Data), with.took, with.late, with.most, alone.late, alone.most, with.old, alone.old)
		assert.LessOrEqual(t, with.took, c.most*time.Millisecond, name)
		assert.LessOrEqual(t, with.late, alone.late+c.later+0.05, name)
		assert.LessOrEqual(t, with.old, alone.old+c.later+0.05, name)
	}
}
