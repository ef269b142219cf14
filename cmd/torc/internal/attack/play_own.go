package attack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// withMod runs f while a mod of the suite's own server is on, and takes the mod away afterwards.
func (r *round) withMod(name, script string, f func() error) error {
	if err := r.addMod(modFiles(name, script)); err != nil {
		return err
	}
	defer r.removeMod(name)
	if out, err := r.exec("mod enable %s", name); err != nil || !strings.Contains(out, "is on") {
		return fmt.Errorf("mod enable %s: %s, %v", name, out, err)
	}
	return f()
}

// addMod writes files of mods into the folder of the suite's own server.
func (r *round) addMod(files map[string]string) error { return writeFiles(r.dir, files) }

// removeMod disables a mod, if it is on, and removes its files.
func (r *round) removeMod(name string) {
	_, err := r.exec("mod disable %s", name)
	if err == nil {
		err = os.RemoveAll(filepath.Join(r.dir, modsFolder, name))
	}
	r.fail(err != nil, "mod disable %s: %v", name, err)
}

// counted returns numbers that an export of a mod returns.
func (r *round) counted(mod, export string, n int) ([]int, error) {
	out, err := r.exec("import(%q).%s()", mod, export)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(out, "\n")
	all := make([]int, 0, n)
	for _, f := range strings.Fields(lines[len(lines)-1]) {
		v, err := strconv.Atoi(f)
		if err != nil {
			return nil, fmt.Errorf("import(%q).%s(): %s", mod, export, out)
		}
		all = append(all, v)
	}
	if len(all) != n {
		return nil, fmt.Errorf("import(%q).%s(): %s", mod, export, out)
	}
	return all, nil
}

// waitMost is how long a row waits for a reaction of the server.
const waitMost = 10 * time.Second

// logHas waits until the log of the row has a text at least n times, at most waitMost.
func (r *round) logHas(text string, n int) bool {
	for end := time.Now().Add(waitMost); ; time.Sleep(10 * time.Millisecond) {
		if strings.Count(r.log(), text) >= n {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// faultyMod has a handler that fails until it is mended, and counts its calls.
const faultyMod = `local broken, calls = true, 0
function onTick()
  calls = calls + 1
  if broken then error "a mistake" end
end
export("mend", function() broken = false end)
export("spoil", function() broken = true end)
export("calls", function() return calls end)
`

const suspendedText = "faulty: onTick is suspended"

// playSuspended lets a handler fail until it is suspended, and enables its mod.
func playSuspended(r *round) error {
	r.suspends = true
	return r.withMod("faulty", faultyMod, func() error {
		if !r.logHas(suspendedText, 1) {
			r.fail(true, "the handler that fails is not suspended")
			return nil
		}
		calls, still, err := r.callsOf("faulty")
		if err != nil {
			return err
		}
		r.note("suspended after %d faults, %d calls in %d ticks then", calls, still, callsTicks)
		r.fail(calls != 5 || still != 0, "the handler was called %d times, and %d times more while suspended", calls, still)
		if _, err := r.exec(`import("faulty").mend()`); err != nil {
			return err
		}
		if _, err := r.exec("mod enable faulty"); err != nil {
			return err
		}
		_, after, err := r.callsOf("faulty")
		r.note("%d calls in %d ticks after mod enable", after, callsTicks)
		r.fail(after == 0, "mod enable did not resume the handler")
		if r.short || err != nil {
			return err
		}
		return r.endOfSuspension()
	})
}

// callsTicks is the least number of ticks in which the calls of a handler are counted.
const callsTicks = 10

// callsOf returns the calls of a handler so far, and those of some ticks after that.
func (r *round) callsOf(mod string) (before, more int, err error) {
	a, err := r.counted(mod, "calls", 1)
	if err != nil {
		return 0, 0, err
	}
	ticks := metric(r.server, ticksMetric)
	for end := time.Now().Add(waitMost); metric(r.server, ticksMetric) < ticks+callsTicks && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	b, err := r.counted(mod, "calls", 1)
	if err != nil {
		return 0, 0, err
	}
	return a[0], b[0] - a[0], nil
}

// endOfSuspension suspends the handler of the mod faulty again, and waits until it is called again by
// itself.
func (r *round) endOfSuspension() error {
	if _, err := r.exec(`import("faulty").spoil()`); err != nil {
		return err
	}
	if !r.logHas(suspendedText, 2) {
		r.fail(true, "the handler that fails is not suspended again")
		return nil
	}
	if _, err := r.exec(`import("faulty").mend()`); err != nil {
		return err
	}
	ticks := metric(r.server, ticksMetric)
	for end := time.Now().Add(40 * time.Second); ; {
		_, more, err := r.callsOf("faulty")
		if err != nil {
			return err
		}
		if more > 0 {
			break
		}
		if time.Now().After(end) {
			r.fail(true, "the suspension did not end by itself")
			return nil
		}
	}
	r.note("a suspension ended by itself after %.0f ticks", metric(r.server, ticksMetric)-ticks)
	return nil
}

// zoneMod is a trigger around everything. It counts the players that enter, and the bodies that are
// gone when they leave. A handle of a deleted body is an error.
const zoneMod = `local entered, gone = 0, 0
Zone = datablock "TriggerData" "AttackZone" {}
new "Trigger" { dataBlock = Zone, position = vec(0, 0, -2000), size = vec(4000, 4000, 4000) }
function Zone:onEnterTrigger(_, obj)
  if obj and obj.className == "Player" then entered = entered + 1 end
end
function Zone:onLeaveTrigger(_, obj)
  if obj then return obj.position end
  gone = gone + 1
end
export("figures", function() return entered, gone end)
`

// playTriggers lets clients leave whose bodies are inside a trigger.
func playTriggers(r *round) error {
	return r.withMod("zone", zoneMod, func() error {
		leavers := r.rate(40)
		all, err := r.attackers(leavers, func(int) clientSpec { return clientSpec{} })
		if err != nil {
			return err
		}
		entered, before, err := r.zone(func(entered, _ int) bool { return entered >= honestCount+leavers })
		if err != nil {
			return err
		}
		for _, c := range all {
			r.bad.remove(c, "", false)
		}
		_, gone, err := r.zone(func(_, gone int) bool { return gone-before >= leavers })
		if err != nil {
			return err
		}
		r.note("%d players in a trigger, %d leave with their clients: %d times nil", entered, leavers, gone-before)
		r.fail(gone-before < leavers, "onLeaveTrigger did not get nil for each")
		r.judgeFaults("zone")
		return nil
	})
}

// zone waits until the figures of zoneMod fit, at most waitMost, and returns them.
func (r *round) zone(fits func(entered, gone int) bool) (entered, gone int, err error) {
	for end := time.Now().Add(waitMost); ; time.Sleep(50 * time.Millisecond) {
		f, err := r.counted("zone", "figures", 2)
		if err != nil {
			return 0, 0, err
		}
		if fits(f[0], f[1]) || time.Now().After(end) {
			return f[0], f[1], nil
		}
	}
}

// judgeFaults fails the row if a mod had a fault in it. mod is "" for any mod.
func (r *round) judgeFaults(mod string) {
	for line := range strings.SplitSeq(r.log(), "\n") {
		if strings.Contains(line, "level=ERROR") && strings.Contains(line, "mod="+mod) {
			r.fail(true, "a fault of a mod: %s", line)
			return
		}
	}
}

// playDatablocks enables a mod that declares a datablock of ctf.
func playDatablocks(r *round) error {
	before, err := r.exec(`find("DiscShot").lifetime`)
	if err != nil {
		return err
	}
	err = r.addMod(map[string]string{
		modsFolder + "/twin/mod.toml":     manifest("twin"),
		modsFolder + "/twin/shared/a.lua": `datablock "ProjectileData" "discshot" { lifetime = 64 }`,
	})
	if err != nil {
		return err
	}
	defer r.removeMod("twin")
	refusal, err := r.exec("mod enable twin")
	if err != nil {
		return err
	}
	after, err := r.exec(`find("DiscShot").lifetime`)
	named := strings.Contains(refusal, "mods ctf and twin both declare datablock")
	r.note("refused with the names of both mods: %v; the datablock has changed: %v", named, after != before)
	r.fail(!named, "mod enable of a mod with a datablock of ctf: %q", refusal)
	r.fail(after != before, "the datablock of ctf was %s and is %s", before, after)
	return err
}

// playLinks lets mods lead into another mod by symbolic links, and starts a server whose identity
// others can read.
func playLinks(r *round) error {
	mods := filepath.Join(r.dir, modsFolder)
	files := modFiles("linked", `exec "lib/init.lua"`)
	files[modsFolder+"/replaced/mod.toml"] = manifest("replaced")
	err := errors.Join(
		r.addMod(files),
		os.Symlink("../gate/server", filepath.Join(mods, "linked", "lib")),
		os.Symlink("../gate/server", filepath.Join(mods, "replaced", "server")),
	)
	if err != nil {
		return err
	}
	refused := 0
	for _, name := range []string{"linked", "replaced"} {
		out, err := r.exec("mod enable %s", name)
		if err != nil {
			return err
		}
		if strings.Contains(out, "is a symbolic link: a mod reads only files of its own folder") {
			refused++
		}
		r.fail(strings.Contains(out, "is on"), "mod enable %s: %s", name, out)
		if err := os.RemoveAll(filepath.Join(mods, name)); err != nil {
			return err
		}
	}
	r.note("%d of 2 mods with a link into another mod are refused with a sentence", refused)
	r.fail(refused < 2, "a link is not named")
	return r.exposedIdentity()
}
