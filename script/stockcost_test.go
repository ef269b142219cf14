package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// spent returns the instructions that an event of a mod has used so far.
func (h *half) spent(mod, event string) int64 {
	for _, e := range h.scripts.Runtime.Mod(mod).Events() {
		if e.Event == event {
			return e.Instructions
		}
	}
	return 0
}

// TestNamesCostLittle checks that a join costs the same for any number of players with look-alike
// names, also if the names are chosen so that their shortened forms collide.
func TestNamesCostLittle(t *testing.T) {
	for kind, name := range map[string]func(n int) string{
		"the same":    func(int) string { return "Ann" },
		"look-alikes": func(n int) string { return []string{"Ann", "аnn", "ＡＮＮ", "ánn"}[n%4] },
		"cut":         func(n int) string { return fmt.Sprintf("Annannannannannannannan%c", 'a'+n/2%26) },
		"numbers":     func(n int) string { return fmt.Sprintf("Ann (%d)", n/2) },
		"long":        func(int) string { return strings.Repeat("é", 32) },
	} {
		h := newHalf(t, 1, true).load()
		worst := int64(0)
		for n := range 128 {
			before := h.spent("base", "onConnect")
			require.Empty(t, h.line(fmt.Sprintf("b = addBot(%q)", name(n))))
			h.host.Tick(0)
			worst = max(worst, h.spent("base", "onConnect")-before)
		}
		t.Logf("%s: %d instructions", kind, worst)
		assert.Less(t, worst, int64(15_000), kind)
		names := strings.Split(h.line(`for c in clientGroup:each() do echo(c.name) end`), "\n")
		seen := map[string]bool{}
		for _, n := range names {
			assert.False(t, seen[strings.ToLower(n)], "%s: %s twice", kind, n)
			seen[strings.ToLower(n)] = true
		}
		assert.Len(t, names, 128)
		assert.Empty(t, h.log)
	}
}

// TestChatCostsLittle checks that the cost of a command with text has a small bound, for any text
// of the maximum length.
func TestChatCostsLittle(t *testing.T) {
	const most = 32_000
	for _, text := range []string{
		strings.Repeat("a", most), strings.Repeat("\xff", most), strings.Repeat("\x80", most), strings.Repeat("\u200b", most/3),
		strings.Repeat("ä", most/2), strings.Repeat("\xf0\x9f\x98", most/3), "/" + strings.Repeat("a ", most/2), "/team " + strings.Repeat("\xff", most),
		"/vote kick " + strings.Repeat("x ", most/2), "/" + strings.Repeat(`"`, most),
	} {
		h := newHalf(t, 1, true).load("ctf")
		require.Empty(t, h.line(`b = addBot "Ann"`))
		for range 4 {
			h.host.Tick(0)
		}
		c := h.host.Connections()[0]
		for command, mod := range map[string]string{"MessageSent": "base", "TeamMessageSent": "ctf", "StartVote": "ctf", "Key": "ctf"} {
			args := []sim.Value{sim.String(text)}
			if command == "StartVote" {
				args = []sim.Value{sim.String("kick"), sim.String(text)}
			}
			total := func() (n int64) {
				for _, m := range h.scripts.Runtime.Mods {
					n += m.Total().Instructions
				}
				return n
			}
			before := total()
			h.scripts.Hooks().Command(c, command, args)
			spent := total() - before
			t.Logf("%.6q %s: %d instructions", text, command, spent)
			assert.Less(t, spent, int64(60_000), "%.6q %s of %s", text, command, mod)
		}
		assert.Empty(t, h.scripts.Runtime.Mod("base").Suspended())
	}
}
