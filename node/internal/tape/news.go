package tape

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/journal"
)

const (
	maxPart = 1 << 20   // bytes of an entry with a part of news
	maxNews = 128 << 20 // bytes of news: a whole group of values is one of them
)

// News begins news of the fleet.
func (r *Recorder) News(now time.Duration, n *bus.News) {
	if !r.begin() {
		return
	}
	turn(reflect.ValueOf(n), hide)
	b := encode(n)
	turn(reflect.ValueOf(n), show)
	for rest := (len(b) - 1) / maxPart; rest >= 0; rest-- {
		part := b[:min(len(b), maxPart)]
		b = b[len(part):]
		r.write(journal.Entry{Kind: journal.News, Time: now, Number: uint64(rest), Data: part})
	}
}

// hears tells the server news of the fleet when their last part is here.
func (p *Player) hears(e journal.Entry) {
	if len(p.news)+len(e.Data) > p.longest {
		p.diverge(fmt.Sprintf("news of the fleet have more than %d MiB, and no server writes such", p.longest>>20))
		p.news = nil
		return
	}
	p.news = append(p.news, e.Data...)
	if e.Number > 0 {
		return
	}
	var n bus.News
	p.decode(p.news, &n)
	p.news = nil
	turn(reflect.ValueOf(&n), show)
	p.server.News(&n)
}

// JSON has only texts of UTF-8, and other servers send any bytes. hidden begins a text that stands
// for bytes.
const hidden = "\x00"

// hide returns a text that JSON can have.
func hide(s string) string {
	if utf8.ValidString(s) && !strings.HasPrefix(s, hidden) {
		return s
	}
	return hidden + base64.StdEncoding.EncodeToString([]byte(s))
}

// show undoes hide.
func show(s string) string {
	rest, is := strings.CutPrefix(s, hidden)
	if !is {
		return s
	}
	b, _ := base64.StdEncoding.DecodeString(rest) // a damaged journal has another text
	return string(b)
}

// turn changes all texts of a value but the keys of maps.
func turn(v reflect.Value, how func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			turn(v.Elem(), how)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			turn(v.Field(i), how)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			turn(v.Index(i), how)
		}
	case reflect.String:
		if s := v.String(); s != "" {
			v.SetString(how(s))
		}
	}
}
