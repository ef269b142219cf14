package netpage

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
)

// fakeRerun is a server without clients whose journal has some ticks.
type fakeRerun struct {
	taker  *Taker
	tick   uint64
	ticks  uint64
	end    error
	closed *int
}

func (f *fakeRerun) Next() error {
	if f.tick == f.ticks {
		return f.end
	}
	f.tick++
	return nil
}

func (f *fakeRerun) Tick() uint64       { return f.tick }
func (f *fakeRerun) Now() time.Duration { return time.Duration(f.tick) * engine.TickTime }
func (f *fakeRerun) Difference() string { return "" }
func (f *fakeRerun) Taker() *Taker      { return f.taker }
func (f *fakeRerun) Close() error       { *f.closed++; return nil }

// playbackRig is a Playback without a goroutine, at a time of its own.
type playbackRig struct {
	*Playback
	t              *testing.T
	now            time.Duration
	ticks          uint64 // of the journal that can be read
	end            error
	opened, closed int
}

func newPlaybackRig(t *testing.T, cfg PlaybackConfig) *playbackRig {
	r := &playbackRig{t: t, ticks: cfg.Last, end: io.EOF}
	taker := newTaker(enginetest.New(t, enginetest.Options{}).Server.Host)
	cfg.Clock = func() time.Duration { return r.now }
	cfg.Open = func() (Rerun, error) {
		r.opened++
		f := &fakeRerun{taker: taker, ticks: r.ticks, end: r.end, closed: &r.closed}
		taker.Now = f.Now
		return f, nil
	}
	r.Playback = NewPlayback(cfg)
	var err error
	r.rerun, err = cfg.Open()
	require.NoError(t, err)
	return r
}

// run lets a time pass, as the loop of Run does.
func (r *playbackRig) run(d time.Duration) {
	r.t.Helper()
	for end := r.now + d; r.now < end; {
		if wait := r.wait(); wait > 0 {
			r.now = min(r.now+wait, end)
			continue
		}
		require.NoError(r.t, r.advance())
	}
}

// look takes a snapshot.
func (r *playbackRig) look(after uint64) (c Course) {
	r.t.Helper()
	var s Snapshot
	r.take(Want{After: after}, &s)
	return *s.Course
}

// TestPlaybackGoesAtItsSpeed plays, pauses, and plays on at other speeds.
func TestPlaybackGoesAtItsSpeed(t *testing.T) {
	r := newPlaybackRig(t, PlaybackConfig{Last: 1000, Speed: 1, Marks: []Mark{{7, "fault"}}})
	r.run(time.Minute)
	assert.Equal(t, uint64(1), r.rerun.Tick(), "nothing plays before somebody looks")
	first := r.look(0)
	assert.Equal(t, []Mark{{7, "fault"}}, first.Marks)
	r.run(320 * time.Millisecond)
	assert.Equal(t, uint64(11), r.rerun.Tick())
	r.steer(Steering{Paces: true})
	r.run(time.Minute)
	assert.Equal(t, uint64(11), r.rerun.Tick(), "it is paused")
	r.steer(Steering{Paces: true, Speed: 8})
	r.run(320 * time.Millisecond)
	assert.Equal(t, uint64(91), r.rerun.Tick())
	r.steer(Steering{Paces: true, Speed: 0.25})
	r.run(1280 * time.Millisecond)
	assert.Equal(t, uint64(101), r.rerun.Tick())
	assert.Equal(t, 0.25, r.look(1).Speed)
	assert.Nil(t, r.look(1).Marks, "a page gets the marks once")
	r.steer(Steering{Paces: true, Speed: 0.001})
	r.run(2 * time.Hour)
	assert.Equal(t, uint64(326), r.rerun.Tick())
	r.steer(Steering{Paces: true, Speed: 1e-12})
	r.run(2 * time.Hour)
	assert.Equal(t, uint64(327), r.rerun.Tick(), "the first tick is due at once")
}

// TestPlaybackSeeks seeks forth, back, to the present tick, and beyond both ends. Only the way back
// begins again, and no sample of the graphs comes twice.
func TestPlaybackSeeks(t *testing.T) {
	r := newPlaybackRig(t, PlaybackConfig{Last: 500, From: 40})
	r.run(time.Second)
	for _, row := range []struct{ to, tick, opened int }{
		{40, 40, 1}, {300, 300, 1}, {120, 120, 2}, {120, 120, 2}, {121, 121, 2}, {160, 160, 2}, {160, 160, 2}, {0, 1, 3}, {9999, 500, 3}, {500, 500, 3},
	} {
		r.steer(Steering{Seeks: true, Tick: uint64(row.to)})
		arrived := r.arrived
		r.run(time.Millisecond)
		assert.Equal(t, uint64(row.tick), r.rerun.Tick(), "to %d", row.to)
		assert.Equal(t, row.opened, r.opened, "to %d", row.to)
		assert.Len(t, r.look(0).Past, row.tick/sampleTicks, "to %d", row.to)
		assert.Equal(t, r.opened-1, r.closed, "one server at a time")
		<-arrived
		r.run(time.Minute)
		assert.Equal(t, uint64(row.tick), r.rerun.Tick(), "it stays there")
	}
	r.steer(Steering{Seeks: true, Tick: 100, Paces: true, Speed: 1})
	assert.Equal(t, Course{Tick: 500, Last: 500, Goal: 100, Speed: 1, Past: r.look(0).Past, Newest: r.past.newest}, r.look(0))
	r.run(320 * time.Millisecond)
	assert.Equal(t, uint64(110), r.rerun.Tick(), "it plays on from there")
}

// TestPlaybackEnds checks the last tick of a whole journal and of one that is cut off, and that
// playing on begins again.
func TestPlaybackEnds(t *testing.T) {
	cut := errors.New("the journal is cut\x1b off here")
	r := newPlaybackRig(t, PlaybackConfig{Last: 60, Speed: 1})
	r.look(0)
	r.run(time.Minute)
	assert.Equal(t, uint64(60), r.rerun.Tick())
	assert.Empty(t, r.look(0).Why)
	assert.Zero(t, r.look(0).Speed, "it pauses")
	r.steer(Steering{Paces: true, Speed: 1})
	r.run(320 * time.Millisecond)
	assert.Equal(t, uint64(11), r.rerun.Tick())

	r.ticks, r.end = 50, cut
	require.NoError(t, r.again())
	r.steer(Steering{Seeks: true, Tick: 60})
	r.run(time.Second)
	assert.Equal(t, uint64(50), r.rerun.Tick())
	assert.Equal(t, "the journal is cut\\x1b off here", r.look(0).Why)
	r.steer(Steering{Seeks: true, Tick: 20, Paces: true})
	r.run(time.Millisecond)
	assert.Equal(t, uint64(20), r.rerun.Tick())
	assert.Empty(t, r.look(0).Why)
}

// TestPlaybackKeepsFiveMinutes checks the samples that a page gets: all that are kept at first, and
// then the new ones. Those of another run follow the others in their numbers.
func TestPlaybackKeepsFiveMinutes(t *testing.T) {
	r := newPlaybackRig(t, PlaybackConfig{Last: 1 << 20, From: 16 * 700})
	r.run(time.Millisecond)
	c := r.look(0)
	require.Len(t, c.Past, maxSamples)
	assert.Equal(t, (101 * sampleTicks * engine.TickTime).Milliseconds(), c.Past[0].Time)
	for i := range c.Past[1:] {
		assert.Equal(t, int64(512), c.Past[i+1].Time-c.Past[i].Time)
	}
	r.steer(Steering{Seeks: true, Tick: 16*702 + 5})
	r.run(time.Millisecond)
	assert.Len(t, r.look(c.Newest).Past, 2)
	c = r.look(c.Newest)
	r.steer(Steering{Seeks: true, Tick: 40})
	r.run(time.Millisecond)
	for _, after := range []uint64{0, c.Newest - 1, c.Newest} {
		past := r.look(after).Past
		require.Len(t, past, 2, "after %d", after)
		assert.Equal(t, int64(512), past[0].Time)
	}
}

// TestPlaybackEndsItsPages checks that a page that waits learns of the end.
func TestPlaybackEndsItsPages(t *testing.T) {
	r := newPlaybackRig(t, PlaybackConfig{Last: 10})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	var s Snapshot
	require.NoError(t, r.Take(ctx, Want{}, &s))
	cancel()
	require.NoError(t, <-ended)
	assert.Equal(t, errEnded, r.Take(t.Context(), Want{}, &s))
	assert.Equal(t, errEnded, r.Steer(t.Context(), Steering{}))
	assert.Equal(t, r.opened, r.closed+1, "all but the one of the rig")
}
