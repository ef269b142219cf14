package tape

import (
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/journal"
)

// Reread begins a reading of the lists of players and rights.
func (r *Recorder) Reread() {
	if r.begin() {
		r.write(journal.Entry{Kind: journal.Reread})
	}
}

// Edited reads a list again, and records its text if people have changed it.
func (r *Recorder) Edited(own data.Reading) (string, bool, error) {
	n := r.question(journal.Edited)
	list, changed, err := own()
	if changed || err != nil {
		r.write(journal.Entry{Kind: journal.Edited, Number: n, Name: text(err), Data: []byte(list)})
	}
	return list, changed, err
}

// Edited returns what people had changed in a list.
func (p *Player) Edited(data.Reading) (string, bool, error) {
	e, ok := p.numbered(journal.Edited)
	if !ok {
		return "", false, nil
	}
	err := textError(e.Name)
	return string(e.Data), err == nil, err
}
