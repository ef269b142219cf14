package engine_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// noisy returns a picture with a side in pixels, that has about two bytes for each pixel.
func noisy(t testing.TB, seed, side int) *picture.Picture {
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range m.Pix {
		m.Pix[i] = byte((i + seed) * (i + seed) * 7919 >> 5)
	}
	return encoded(t, m)
}

// encoded returns an image as a PNG.
func encoded(t testing.TB, m image.Image) *picture.Picture {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	p, err := picture.Read(b.Bytes())
	require.NoError(t, err)
	return p
}

func imageOf(p *picture.Picture) form.Row {
	return form.Row{Kind: form.Image, Text: "a sword", Picture: p}
}

// pictureOf returns the picture of a row that the client shows.
func (r *formRig) pictureOf(shown, row int) *picture.Picture {
	if list := r.client().Shown(); shown < len(list) && row < len(list[shown].Rows) {
		return list[shown].Rows[row].Picture
	}
	return nil
}

// TestPicturesFollowTheirForms: the form is there first, the program hears of the picture, and the
// next form has it at once.
func TestPicturesFollowTheirForms(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := newFormRig(t, o)
		sword := noisy(t, 1, 60)
		require.NoError(t, r.open("m", "shop", imageOf(sword), form.Row{Kind: form.Button, Text: "Buy"}))
		r.Until(time.Second, func() bool { return len(r.client().Shown()) == 1 })
		assert.Nil(t, r.pictureOf(0, 0))
		changes := len(r.shown)
		r.Until(10*time.Second, func() bool { return r.pictureOf(0, 0) != nil })
		assert.Equal(t, sword, r.pictureOf(0, 0))
		assert.Equal(t, changes+1, len(r.shown), "the program is told once")

		require.NoError(t, r.open("m", "shop", imageOf(sword)))
		r.Until(time.Second, func() bool { return r.client().Shown()[0].Number == 2 })
		assert.Equal(t, sword, r.pictureOf(0, 0), "the client has it")
		assert.Equal(t, uint32(1), r.client().Shown()[0].Rows[0].Image)

		assert.EqualError(t, r.open("m", "lack", imageOf(nil)), "row 1, an image, has no picture")
		assert.ErrorContains(t, r.open("m", "mute", form.Row{Kind: form.Image, Picture: sword}), "row 1, an image: it needs a text")
		bot, err := r.Server.AddBot("Bo")
		require.NoError(t, err)
		require.NoError(t, bot.Forms().Open("m", form.Form{Name: "shop", Rows: []form.Row{imageOf(sword)}}, func(uint32) {}))
		r.Run(time.Second)
	})
}

// TestPicturesSurviveABadLine, in order and whole.
func TestPicturesSurviveABadLine(t *testing.T) {
	r := newFormRig(t, enginetest.Options{Down: netcore.LinkParams{Delay: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: .1}})
	var rows []form.Row
	for i := range 3 {
		rows = append(rows, imageOf(noisy(t, i, 40)))
	}
	require.NoError(t, r.open("m", "shop", rows...))
	r.Until(30*time.Second, func() bool {
		return r.pictureOf(0, 0) != nil && r.pictureOf(0, 1) != nil && r.pictureOf(0, 2) != nil
	})
	for i := range rows {
		assert.Equal(t, rows[i].Picture, r.pictureOf(0, i))
	}
}

// TestPicturesOfAClosedFormAreNotBegun, and a form whose pictures the client had to forget shows
// its text.
func TestPicturesOfAClosedFormAreNotBegun(t *testing.T) {
	r := newFormRig(t, enginetest.Options{})
	require.NoError(t, r.open("m", "a", imageOf(noisy(t, 1, 60)), imageOf(noisy(t, 2, 60))))
	r.Peer(0).Forms().Close("m", "a")
	before := r.Peer(0).Net().Stats().SentBytes
	r.Run(3 * time.Second)
	assert.Less(t, r.Peer(0).Net().Stats().SentBytes-before, uint64(4000))

	require.NoError(t, r.open("m", "b", imageOf(noisy(t, 3, 30))))
	r.Until(10*time.Second, func() bool { return r.pictureOf(0, 0) != nil })
	engine.PostImage(r.Peer(0), &picture.Piece{Number: r.client().Shown()[0].Rows[0].Image, Use: picture.Forgotten})
	r.Run(time.Second)
	assert.Nil(t, r.pictureOf(0, 0))
}

// things makes objects on the server.
func (r *formRig) things(n int) (all []sim.Object) {
	for i := range n {
		all = append(all, newThing(r.t, r.Server.Host, fmt.Sprint(i, " at ", 0)))
	}
	return all
}

// beat is a tick of a busy server: it changes objects and sends a command. n is the number of the
// tick.
func (r *formRig) beat(things []sim.Object, n int) {
	for i, o := range things {
		set(r.t, o, "label", sim.String(fmt.Sprint(i, " at ", n)))
	}
	require.NoError(r.t, r.Peer(0).Commands.Send(engine.CommandOptions{}, sim.String("Beat"), nil))
}

// pictureLoad changes objects and sends a command in each tick, at 31 packets/s of 600 bytes. It
// returns how many updates of ghosts were sent, how late the latest command was in ticks, and how
// many bytes of pictures arrived.
func pictureLoad(t *testing.T, objects int, rows ...form.Row) (updates uint64, late, bytes int) {
	r := newFormRig(t, enginetest.Options{})
	r.Server.Settings.MaxRate, r.Server.Settings.MaxSize = 31.25, 600
	r.Server.Apply()
	things := r.things(objects)
	r.Run(2 * time.Second)
	require.NoError(t, r.open("m", "shop", rows...))
	began, lines := r.Peer(0).Ghosts().Stats().Updates, len(r.Clients[0].Lines)
	for n := range 150 {
		r.beat(things, n)
		r.Run(engine.TickTime)
		late = max(late, n+1-(len(r.Clients[0].Lines)-lines))
	}
	updates = r.Peer(0).Ghosts().Stats().Updates - began
	for i := range rows {
		if p := r.pictureOf(0, i); p != nil {
			bytes += len(p.Data)
		}
	}
	return updates, late, bytes
}

// TestPicturesLeaveTheRoomToGhosts: in packets with room, no update of a ghost and no command is
// later than without pictures. In full packets a picture takes a sliver, and still arrives.
func TestPicturesLeaveTheRoomToGhosts(t *testing.T) {
	small, large := noisy(t, 1, 15), noisy(t, 2, 62)
	for _, c := range []struct {
		objects int
		rows    []form.Row
		share   float64 // of the updates without pictures
	}{
		{20, []form.Row{imageOf(large), imageOf(small)}, 1},
		{200, []form.Row{imageOf(small)}, .92},
	} {
		alone, lateAlone, _ := pictureLoad(t, c.objects, form.Row{Text: "a sword"}, form.Row{Text: "a sword"})
		updates, late, bytes := pictureLoad(t, c.objects, c.rows...)
		t.Logf("%d objects: %d of %d updates, %d and %d ticks late, %d bytes of pictures", c.objects, updates, alone, late, lateAlone, bytes)
		assert.GreaterOrEqual(t, float64(updates), c.share*float64(alone))
		assert.LessOrEqual(t, late, lateAlone)
		want := 0
		for _, row := range c.rows {
			want += len(row.Picture.Data)
		}
		assert.Equal(t, want, bytes)
	}
}

// TestAHostileServerSendsPictures that break a rule: the connection ends.
func TestAHostileServerSendsPictures(t *testing.T) {
	whole := noisy(t, 1, 10)
	for why, pieces := range map[string][]picture.Piece{ // any order: each is a game of its own
		"is unknown":   {{Number: 3, Use: picture.More, Data: whole.Data}},
		"another hash": {{Number: 3, Size: len(whole.Data), Data: whole.Data}},
		"comes twice":  {{Number: 3, Size: 100, Data: whole.Data[:1]}, {Number: 3, Size: 100, Data: whole.Data[:1]}},
	} {
		r := newFormRig(t, enginetest.Options{})
		c := r.Peer(0)
		for i := range pieces {
			engine.PostImage(c, &pieces[i])
		}
		r.Run(time.Second)
		end, over := c.Net().Closed()
		assert.True(t, over)
		assert.Contains(t, end.Text, why)
	}
	r := newFormRig(t, enginetest.Options{})
	c := r.Peer(0)
	engine.PostImage(r.Clients[0].Host.Server(), &picture.Piece{Number: 3, Size: len(whole.Data), Hash: whole.Hash, Data: whole.Data})
	r.Run(time.Second)
	end, over := c.Net().Closed()
	assert.True(t, over)
	assert.Contains(t, end.Text, "goes to a client")
}

// TestPicturesArriveDuringAPause of the game.
func TestPicturesArriveDuringAPause(t *testing.T) {
	r := newFormRig(t, enginetest.Options{})
	sword := noisy(t, 1, 30)
	require.NoError(t, r.open("m", "shop", imageOf(sword)))
	r.Server.Pace.Pause(true)
	r.Run(5 * time.Second)
	assert.Equal(t, sword, r.pictureOf(0, 0))
}
