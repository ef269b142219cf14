package scrub

import (
	"encoding/binary"
	"encoding/json"
	"path"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/journal"
	"github.com/torc-engine/torc/engine/node/internal/tape"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script/sockets"
)

// Meet notes who is named in the header of a journal, and the passwords in it.
func (w *Words) Meet(c *tape.Config) {
	w.Password(c.Password)
	for _, v := range c.Vars {
		if strings.Contains(strings.ToLower(v.Name), "password") {
			w.Password(v.Value)
		}
	}
	for _, text := range c.Lists {
		w.list(text)
	}
}

// Note notes what an entry tells about people, before the first text is replaced.
func (w *Words) Note(e *journal.Entry) {
	switch e.Kind {
	case journal.Set:
		if e.Name == "password" {
			w.Password(string(e.Data))
		}
	case journal.Content:
		w.Learn(string(e.Data))
	case journal.File:
		name := path.Base(e.Name[strings.IndexByte(e.Name, ' ')+1:])
		w.literals[strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))] = true
	}
}

// Config replaces what identifies people in the header of a journal.
func (w *Words) Config(c *tape.Config) {
	c.Name, c.Password, c.Mission = w.Text(c.Name), w.Password(c.Password), w.Text(c.Mission)
	for i := range c.Vars {
		c.Vars[i].Value, c.Vars[i].From = w.Text(c.Vars[i].Value), w.Text(c.Vars[i].From)
	}
	for i := range c.Scripts {
		c.Scripts[i].Name, c.Scripts[i].Code = w.Text(c.Scripts[i].Name), w.Text(c.Scripts[i].Code)
	}
	for name, text := range c.Lists {
		c.Lists[name] = w.list(text)
	}
	for i, dir := range c.Folders {
		c.Folders[i] = w.Text(dir)
	}
}

// list replaces the lines of a small file of the data folder: KEY or RANGE, end, name, reason, or role, KEY, role, name.
func (w *Words) list(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		f := strings.Split(line, "\t")
		switch {
		case len(f) == 4 && f[0] == "role":
			f[3] = w.Name(f[3])
		case len(f) == 4:
			f[2], f[3] = w.Name(f[2]), w.Free(f[3])
		}
		for n := range min(len(f), 2) {
			f[n] = w.Text(f[n])
		}
		lines[i] = strings.Join(f, "\t")
	}
	return strings.Join(lines, "\n")
}

// Entry replaces what identifies people in an entry. Datagrams and their addresses stay as they are: the clients replace them.
func (w *Words) Entry(e *journal.Entry) {
	switch e.Kind {
	case journal.Line:
		w.line(e)
	case journal.Set:
		if e.Name == "password" {
			e.Data = []byte(w.Password(string(e.Data)))
		} else {
			e.Data = []byte(w.Text(string(e.Data)))
		}
	case journal.Resolved:
		e.Name, e.Data = w.Text(e.Name), tape.MapAddresses(e.Data, w.Addr)
	case journal.Loaded:
		e.Name, e.Data = w.Text(e.Name), w.loaded(e.Data)
	case journal.Events:
		e.Data = w.events(e.Data)
	case journal.Tried, journal.File:
		e.Name = w.Text(e.Name)
	case journal.Output:
		e.Name, e.Data = w.Text(e.Name), []byte(w.Text(string(e.Data)))
	case journal.Close:
		e.Name = w.Reason(e.Name)
	}
}

// line replaces a line of the console and who gave it.
func (w *Words) line(e *journal.Entry) {
	e.Name = w.User(e.Name)
	n, size := binary.Uvarint(e.Data)
	if size <= 0 || n > uint64(len(e.Data)-size) {
		return // damaged
	}
	line, chunk := string(e.Data[size:size+int(n)]), string(e.Data[size+int(n):])
	switch console.Way(e.Number) {
	case console.BySet:
		chunk = w.Text(chunk)
	case console.ByReset:
	default:
		if chunk == "" {
			line = w.Line(line)
		} else {
			line, chunk = w.Code(line), w.Code(chunk)
		}
	}
	e.Data = append(append(binary.AppendUvarint(nil, uint64(len(line))), line...), chunk...)
}

// loaded replaces in the stored values of a mod.
func (w *Words) loaded(data []byte) []byte {
	var values map[string][]byte
	if json.Unmarshal(data, &values) != nil || values == nil {
		return data
	}
	out := make(map[string][]byte, len(values))
	for key, value := range values {
		out[w.Text(key)] = []byte(w.Text(string(value)))
	}
	return encode(out)
}

// events replaces in what came over the connections of mods.
func (w *Words) events(data []byte) []byte {
	var events []sockets.Event
	if json.Unmarshal(data, &events) != nil {
		return data
	}
	for i := range events {
		e := &events[i]
		e.Reason, e.Address, e.Data = w.Text(e.Reason), w.Text(e.Address), []byte(w.Text(string(e.Data)))
		for j := range e.Header {
			e.Header[j].Value = w.Text(e.Header[j].Value)
		}
	}
	return encode(events)
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: " + err.Error()) // it was JSON before
	}
	return b
}

// Identity returns the key pair of the second server.
func (w *Words) Identity(key string) seal.KeyPair {
	k, _ := seal.ParseKey(key) // a wrong one gets a new one, too
	return w.Key(k)
}
