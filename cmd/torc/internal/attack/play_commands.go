package attack

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// oddValues are arguments that no command expects.
var oddValues = []sim.Value{
	sim.Tag("x"), sim.Nil(), sim.Bool(true), sim.Number(-1e300), sim.Number(0.5), sim.Vec(sim.Vec3{X: 1e30}),
	sim.Rotation(sim.Rot{}), sim.String(""), sim.String(strings.Repeat("\xff", 8000)), sim.Handle(1), sim.Handle(1 << 30),
}

// commands are the commands of base and ctf.
var commands = []string{"MessageSent", "TeamMessageSent", "StartVote", "CastVote", "MissionStartPhase1Ack", "MissionStartPhase3Ack", "Key", "Nope"}

// playOdd calls commands with arguments of unexpected kinds and counts.
func playOdd(r *round) error {
	all, err := r.attackers(3, func(int) clientSpec { return clientSpec{} })
	if err != nil {
		return err
	}
	calls := 0
	for end := time.Now().Add(r.length); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		r.bad.do(func() {
			for _, c := range all {
				args := make([]sim.Value, rand.IntN(4))
				for i := range args {
					args[i] = oddValues[rand.IntN(len(oddValues))]
				}
				for range 5 {
					_ = c.call("MessageSent", sim.Tag("x"))
				}
				_ = c.call(commands[rand.IntN(len(commands))], args...)
				calls += 6
			}
		})
	}
	r.note("%d calls from 3 addresses", calls)
	return r.judgeConsole("say still here", "*** Server: still here")
}

// judgeConsole fails the row if a console line does not reach the honest clients.
func (r *round) judgeConsole(line, want string) error {
	if r.server == nil {
		return nil
	}
	if _, err := r.exec("%s", line); err != nil {
		return err
	}
	heard := r.crowd.until(2*time.Second, func() bool { return r.crowd.all[0].heard[want] > 0 })
	r.fail(!heard, "the console's line does not arrive")
	return nil
}

// playTags sends as many different tags as it can.
func playTags(r *round) error {
	n := 0
	all, err := r.attackers(4, func(int) clientSpec {
		return clientSpec{tick: func(c *client) {
			args := make([]sim.Value, 8)
			for i := range args {
				n++
				args[i] = sim.Tag(fmt.Sprintf("tag number %d %d", n, rand.Uint64()))
			}
			_ = c.call("Nope", args...)
		}}
	})
	if err != nil {
		return err
	}
	judgeMemory := r.watchMemory()
	time.Sleep(r.length)
	r.bad.do(func() { r.note("%d different tags from %d clients", n, len(all)) })
	judgeMemory(32 << 20)
	return nil
}

// playCommands floods the server with commands of many clients.
func playCommands(r *round) error {
	var calls atomic.Int64
	flooders := r.rate(50)
	_, err := r.attackers(flooders, func(i int) clientSpec {
		return clientSpec{from: r.address(i), tick: func(c *client) {
			if !c.playing() {
				return
			}
			for range 20 {
				if c.call("CastVote", sim.Bool(true)) == nil {
					calls.Add(1)
				}
			}
		}}
	})
	if err != nil {
		return err
	}
	time.Sleep(r.length)
	r.note("%d clients, %d commands", flooders, calls.Load())
	return nil
}
