package attack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// runMost is the time after which a process of the suite is killed, memoryMost its memory.
const runMost, memoryMost = 30 * time.Second, 256 << 20

// process is a process of the suite that has ended.
type process struct {
	output string
	failed bool
	peak   int // highest number of resident bytes, 0 if it is unknown
}

// runTorc runs torc to its end. A server that starts gets the console line quit.
func runTorc(args ...string) (*process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), runMost)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.SysProcAttr = withParent()
	cmd.Stdin = strings.NewReader("quit\n")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return &process{output: string(out), failed: err != nil, peak: peakOf(cmd.ProcessState)}, ctx.Err()
}

// serveOnce starts a server of its own with a data folder, and ends it.
func serveOnce(data string, more ...string) (*process, error) {
	return runTorc(append([]string{"serve", "--listen", "127.0.0.1:0", "--console", "line", "--data", data}, more...)...)
}

// exposedIdentity starts a server whose identity others can read.
func (r *round) exposedIdentity() error {
	data := filepath.Join(r.dir, "exposed")
	defer func() { _ = os.RemoveAll(data) }() // the folder of the server goes in the end
	p, err := serveOnce(data)
	if err != nil || p.failed {
		return fmt.Errorf("a server with a new identity: %w: %s", err, lastLine(p.output))
	}
	if err := os.Chmod(filepath.Join(data, "identity"), 0o644); err != nil {
		return err
	}
	p, err = serveOnce(data)
	if err != nil {
		return err
	}
	refused := p.failed && strings.Contains(p.output, "has mode 0644") && strings.Contains(p.output, "chmod 600")
	r.note("a start with an identity of mode 0644 is refused: %v", refused)
	r.fail(!refused, "a start with an identity of mode 0644: %s", lastLine(p.output))
	return nil
}

// keeperMod stores a value that occurs nowhere else in the file.
const keeperMod = `store:put("best", string.rep("Q", 100))` + "\n"

// playDamage flips one bit of a stored value while the server is down.
func playDamage(r *round) error {
	folder := filepath.Join(r.dir, "damaged")
	defer func() { _ = os.RemoveAll(folder) }() // the folder of the server goes in the end
	if err := writeFiles(folder, modFiles("keeper", keeperMod)); err != nil {
		return err
	}
	data := filepath.Join(folder, "data")
	serve := func() (*process, error) {
		return serveOnce(data, "--mods", filepath.Join(folder, modsFolder), "--mod", "keeper")
	}
	p, err := serve()
	if err != nil || p.failed {
		return fmt.Errorf("a server with the mod keeper: %w: %s", err, lastLine(p.output))
	}
	whole, err := runTorc("check", "--data", data)
	if err != nil {
		return err
	}
	r.fail(whole.failed || !strings.Contains(whole.output, "no damage found"), "torc check of a good store: %s", lastLine(whole.output))
	if err := flipStored(filepath.Join(data, "store.db")); err != nil {
		return err
	}
	check, err1 := runTorc("check", "--data", data)
	start, err2 := serve()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	const damage = `mod keeper, key "best": the checksum of the value is wrong`
	named := func(p *process) bool { return p.failed && strings.Contains(p.output, damage) }
	r.note("one flipped bit: torc check names the key: %v; a start is refused and names it: %v", named(check), named(start))
	r.fail(!named(check), "torc check: %s", lastLine(check.output))
	r.fail(!named(start), "a start with a damaged value: %s", lastLine(start.output))
	return nil
}

// flipStored flips one bit in the value of keeperMod.
func flipStored(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before := string(text)
	value := strings.Repeat("Q", 100)
	if !strings.Contains(before, value) {
		return fmt.Errorf("%s has no value of the mod keeper", path)
	}
	flipped := value[:50] + string(value[50]^1) + value[51:]
	after := strings.ReplaceAll(before, value, flipped) // older pages can have a copy
	return os.WriteFile(path, []byte(after), 0o600)
}

// The files of TOML that cost a parser without limits gigabytes.
var (
	brackets = strings.Repeat("[", 4<<20)
	dotted   = "a" + strings.Repeat(".a", 450<<10) + " = 1\n"
)

// deepSite starts a server with broken mods in its folder of mods.
func deepSite(ctx context.Context) (*site, error) {
	return startSetup(ctx, setup{listen: "127.0.0.1:0", lax: true, files: map[string]string{
		modsFolder + "/brackets/mod.toml": brackets, modsFolder + "/dotted/mod.toml": dotted,
	}})
}

// playDeep looks at a server with broken mods, enables these, and starts servers with config files
// like them.
func playDeep(r *round) error {
	refused, all := 0, []string{"brackets", "dotted"}
	for _, name := range all {
		line := name + "/mod.toml: the file is larger than"
		reported := strings.Contains(r.server.log(), line)
		r.fail(!reported, "the log of the start does not name the mod %s", name)
		out, err := r.exec("mod enable %s", name)
		if err != nil {
			return err
		}
		r.fail(!strings.Contains(out, line), "mod enable %s: %s", name, out)
		if reported {
			refused++
		}
	}
	peak := 0
	if s, is := r.server.(*child); is {
		peak = s.peak()
	}
	r.note("%d of %d broken mods in the log; highest memory of the server %d MiB", refused, len(all), peak>>20)
	r.fail(peak > memoryMost, "more than %d MiB", memoryMost>>20)
	return r.deepConfigs()
}

// deepConfigs starts servers with config files that cost a parser without limits gigabytes.
func (r *round) deepConfigs() error {
	refused, peak, all := 0, 0, []string{brackets, dotted}
	for _, text := range all {
		if err := writeFiles(r.dir, map[string]string{"deep.toml": text}); err != nil {
			return err
		}
		began := time.Now()
		p, err := serveOnce(filepath.Join(r.dir, "deep"), "--config", filepath.Join(r.dir, "deep.toml"))
		if err != nil {
			return err
		}
		r.fail(time.Since(began) > runMost/2, "a start took more than %v", runMost/2)
		if p.failed && strings.Contains(p.output, "deep.toml: the file is larger than") {
			refused++
		} else {
			r.fail(true, "a start with a config file like them: %s", lastLine(p.output))
		}
		peak = max(peak, p.peak)
	}
	r.note("%d of %d config files like them are refused; highest memory of a start %d MiB", refused, len(all), peak>>20)
	r.fail(peak > memoryMost, "more than %d MiB", memoryMost>>20)
	return nil
}
