package metrics

import (
	"fmt"
	"io"
	"strings"

	victoria "github.com/VictoriaMetrics/metrics"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/node/internal/pulse"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// Browsers are the numbers of the browsers of a server.
type Browsers struct {
	Open    int    // WebSockets and connections of WebRTC
	Lost    uint64 // packets to browsers that a full line did not take
	Dropped uint64 // packets of browsers that arrived while the queue was full
	Strays  uint64 // datagrams on the UDP port that belonged to no browser, or were too many of one
}

// Text returns the numbers in the text format of Prometheus.
func (w Browsers) Text() string {
	var b strings.Builder
	gauge(&b, "torc_web_sockets", uint64(w.Open))
	counter(&b, "torc_web_packets_lost_total", w.Lost)
	counter(&b, "torc_web_packets_dropped_total", w.Dropped)
	counter(&b, "torc_web_strays_total", w.Strays)
	return b.String()
}

// Text returns the numbers of a server in the text format of Prometheus. Call it on the goroutine
// that owns the server.
func Text(p *pulse.Pulse, h *engine.Host, s *script.Scripts) string {
	var b strings.Builder
	counter(&b, "torc_ticks_total", p.Ticks)
	counter(&b, "torc_ticks_skipped_total", p.Skipped)
	counter(&b, "torc_ticks_late_total", p.Late)
	family(&b, "torc_tick_seconds_total", "counter")
	victoria.WriteCounterFloat64(&b, "torc_tick_seconds_total", p.Busy.Seconds())
	family(&b, "torc_tick_seconds_max", "gauge")
	victoria.WriteGaugeFloat64(&b, "torc_tick_seconds_max", p.Max.Seconds())
	family(&b, "torc_tick_interval_seconds_max", "gauge")
	victoria.WriteGaugeFloat64(&b, "torc_tick_interval_seconds_max", p.Gap.Seconds())
	_, heap := pulse.Memory()
	gauge(&b, "torc_heap_live_bytes", heap)
	gauge(&b, "torc_objects", uint64(h.World().Len()))
	gauge(&b, "torc_draining", uint64(map[bool]int{true: 1}[h.Drain.On()]))
	connections(&b, h.Connections())
	voices(&b, h)
	mods(&b, s.Runtime.Mods)
	return b.String()
}

// Process returns the numbers of the process: heap, goroutines, memory, pauses of the garbage
// collection, open files. It reads files of the system, so any goroutine can call it.
func Process() string {
	var b strings.Builder
	victoria.WriteProcessMetrics(&b)
	victoria.WriteFDMetrics(&b)
	return b.String()
}

// connections writes the numbers of connections and their traffic.
func connections(w io.Writer, all []*engine.Connection) {
	var peers []*engine.Connection
	bots := 0
	for _, c := range all {
		switch {
		case c.Bot():
			bots++
		case c.Inbound():
			peers = append(peers, c)
		}
	}
	gauge(w, "torc_clients", uint64(len(peers)))
	gauge(w, "torc_bots", uint64(bots))
	for _, m := range []struct {
		name string
		of   func(*engine.Connection) uint64
	}{
		{"torc_connection_sent_bytes_total", func(c *engine.Connection) uint64 { return c.Net().Stats().SentBytes }},
		{"torc_connection_received_bytes_total", func(c *engine.Connection) uint64 { return c.Net().Stats().ReceivedBytes }},
		{"torc_connection_sent_packets_total", func(c *engine.Connection) uint64 { return c.Net().Stats().Sent }},
		{"torc_connection_received_packets_total", func(c *engine.Connection) uint64 { return c.Net().Stats().Received }},
		{"torc_connection_lost_packets_total", func(c *engine.Connection) uint64 { return c.Net().Stats().Dropped }},
	} {
		family(w, m.name, "counter")
		for _, c := range peers {
			victoria.WriteCounterUint64(w, fmt.Sprintf("%s{connection=\"%d\"}", m.name, c.ID()), m.of(c))
		}
	}
	family(w, "torc_connection_ping_seconds", "gauge")
	for _, c := range peers {
		victoria.WriteGaugeFloat64(w, fmt.Sprintf("torc_connection_ping_seconds{connection=\"%d\"}", c.ID()), c.Net().RTT().Seconds())
	}
}

// voices writes the numbers of voices, if the server has voice.
func voices(w io.Writer, h *engine.Host) {
	now, figures := h.Voices.Status(), h.Voices.Figures()
	if now == nil {
		return
	}
	gauge(w, "torc_voice_talkers", uint64(now.Talkers))
	counter(w, "torc_voice_frames_received_total", figures.Received)
	counter(w, "torc_voice_frames_sent_total", figures.Sent)
	counter(w, "torc_voice_bytes_sent_total", figures.SentBytes)
	family(w, "torc_voice_frames_dropped_total", "counter")
	for why, n := range figures.Dropped {
		if voice.Drop(why) != voice.Kept {
			victoria.WriteCounterUint64(w, fmt.Sprintf("torc_voice_frames_dropped_total{reason=\"%s\"}", voice.DropNames[why]), n)
		}
	}
	family(w, "torc_voice_talker_bytes_total", "counter")
	for _, c := range h.Connections() {
		if bytes, talks := h.Voices.Bytes(c); talks {
			victoria.WriteCounterUint64(w, fmt.Sprintf("torc_voice_talker_bytes_total{connection=\"%d\"}", c.ID()), bytes)
		}
	}
	family(w, "torc_connection_late_events_total", "counter")
	for _, c := range h.Connections() {
		if c.Events() != nil && c.Inbound() {
			victoria.WriteCounterUint64(w, fmt.Sprintf("torc_connection_late_events_total{connection=\"%d\"}", c.ID()), c.Events().Stats().Late)
		}
	}
}

// mods writes the usage of each event of each mod.
func mods(w io.Writer, all []*vm.Mod) {
	events := make([][]vm.EventUsage, len(all))
	for i, m := range all {
		events[i] = m.Events()
	}
	for _, m := range []struct {
		name string
		of   func(vm.EventUsage) float64
	}{
		{"torc_mod_calls_total", func(e vm.EventUsage) float64 { return float64(e.Calls) }},
		{"torc_mod_errors_total", func(e vm.EventUsage) float64 { return float64(e.Errors) }},
		{"torc_mod_seconds_total", func(e vm.EventUsage) float64 { return e.Time.Seconds() }},
		{"torc_mod_instructions_total", func(e vm.EventUsage) float64 { return float64(e.Instructions) }},
		{"torc_mod_heap_bytes_total", func(e vm.EventUsage) float64 { return float64(e.Heap) }},
	} {
		family(w, m.name, "counter")
		for i, mod := range all {
			for _, e := range events[i] {
				victoria.WriteCounterFloat64(w, fmt.Sprintf("%s{mod=\"%s\",event=\"%s\"}", m.name, label(mod.Name), label(e.Event)), m.of(e))
			}
		}
	}
	family(w, "torc_mod_suspended", "gauge")
	for _, m := range all {
		suspended := uint64(0)
		if m.Suspended() != "" {
			suspended = 1
		}
		victoria.WriteGaugeUint64(w, fmt.Sprintf("torc_mod_suspended{mod=\"%s\"}", label(m.Name)), suspended)
	}
}

func counter(w io.Writer, name string, value uint64) {
	family(w, name, "counter")
	victoria.WriteCounterUint64(w, name, value)
}

func gauge(w io.Writer, name string, value uint64) {
	family(w, name, "gauge")
	victoria.WriteGaugeUint64(w, name, value)
}

func family(w io.Writer, name, kind string) { fmt.Fprintf(w, "# TYPE %s %s\n", name, kind) }

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// label quotes a text as the value of a label. The names of events come from mods.
func label(text string) string { return escapes.Replace(strings.ToValidUTF8(text, "�")) }

// Labelled gives all metrics of a text the label server. "" gives none.
func Labelled(text, server string) string {
	if server == "" {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		name, value, has := strings.Cut(line, " ")
		at := strings.IndexByte(line, '{')
		switch {
		case line[0] == '#' || !has:
			b.WriteString(line)
		case at >= 0: // before the space, or in a label with one
			fmt.Fprintf(&b, "%s{server=\"%s\",%s", line[:at], label(server), line[at+1:])
		default:
			fmt.Fprintf(&b, "%s{server=\"%s\"} %s", name, label(server), value)
		}
	}
	return b.String()
}
