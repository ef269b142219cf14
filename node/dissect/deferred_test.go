package dissect_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
)

// deferring scripts defer each connect request, and let the client in after some ticks.
type deferring struct {
	*enginetest.Story
	waits *engine.Connection
	ticks int
}

func (d *deferring) ConnectRequest(c *engine.Connection, _ []string) string {
	c.Join.Defer("checking", "")
	d.waits = c
	return ""
}

func (d *deferring) Tick(n uint64) {
	d.Story.Tick(n)
	if d.waits == nil {
		return
	}
	switch d.ticks++; d.ticks {
	case 20:
		d.waits.Join.Defer("nearly done", "")
	case 40:
		d.waits.Join.Decide("")
	}
}

// TestDeferredPackets: the texts of a server that decides later are read, each with its number, and
// the verdict after them.
func TestDeferredPackets(t *testing.T) {
	r := record(t, enginetest.Options{})
	r.Server.Host.SetScripts(&deferring{Story: r.Server.Story})
	r.Join()
	r.Run(time.Second)
	var texts []any
	verdicts := 0
	for _, p := range r.packets() {
		switch p.Type {
		case "deferred":
			assert.Empty(t, p.Note)
			assert.Zero(t, verdicts)
			if text := p.Fields[0].Value; len(texts) == 0 || texts[len(texts)-1] != text {
				texts = append(texts, text)
			}
		case "verdict":
			verdicts++
		}
	}
	assert.Equal(t, []any{"checking", "nearly done"}, texts)
	assert.NotZero(t, verdicts)
}
