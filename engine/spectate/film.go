package spectate

import (
	"errors"
	"fmt"
	"io"

	"github.com/torc-engine/torc/engine/recording"
)

// A Film plays the recording of a file, tick by tick and from any tick on.
type Film struct {
	*Playback
	file *recording.File
	next int    // chunk to read
	goal uint64 // tick of the last Turn
	over bool
	why  error
}

// NewFilm returns a film before its first tick.
func NewFilm(file *recording.File, p *Playback) *Film { return &Film{Playback: p, file: file} }

// File returns the file of the film.
func (f *Film) File() *recording.File { return f.file }

// Over reports whether the film has come to its end.
func (f *Film) Over() bool { return f.over }

// Why returns why the film has ended before the end of its file, nil if it has not.
func (f *Film) Why() error { return f.why }

// Seeks reports whether the tick that is being played is one on the way to that of Turn.
func (f *Film) Seeks() bool { return f.Tick() <= f.goal }

// Step plays the next tick. It does nothing when the film is over.
func (f *Film) Step() {
	for !f.over {
		played, err := f.advance()
		if played && err == nil {
			return
		}
		if err == nil {
			err = f.read()
		}
		f.over, f.why = err != nil, err
		if errors.Is(err, io.EOF) {
			f.why = f.file.Damage
		}
	}
}

// read passes the next chunk to the player. It returns io.EOF at the end.
func (f *Film) read() error {
	for f.next < f.file.Chunks() && f.file.Repeats(f.next, f.Tick()) {
		f.next++
	}
	if f.next == f.file.Chunks() {
		return io.EOF
	}
	chunk, err := f.file.Chunk(f.next)
	if err != nil {
		return fmt.Errorf("the demo cannot be read: %w", err)
	}
	f.next++
	_, err = f.Write(chunk)
	return err
}

// Turn turns the film to the newest state up to a tick. The next Step plays that state. If the film
// is between the two already, it stays, because going on is shorter.
func (f *Film) Turn(tick uint64) {
	f.goal = tick
	state := f.file.StateBefore(tick)
	if f.Tick() > 0 && f.Tick() <= tick && state < f.next {
		return
	}
	f.player, f.next, f.over, f.why = recording.Player{}, state, false, nil
}
