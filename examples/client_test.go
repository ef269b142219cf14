// Package examples holds programs that others begin with. This file tests them.
package examples

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.EndWithParent()
	os.Exit(m.Run())
}

// process is a program with an input and the lines of its output.
type process struct {
	t     *testing.T
	input io.WriteCloser
	lines chan string
	cmd   *exec.Cmd
}

func start(t *testing.T, name string, args ...string) *process {
	t.Helper()
	p := &process{t: t, lines: make(chan string, 1<<16), cmd: exec.Command(name, args...)}
	input, err := p.cmd.StdinPipe()
	require.NoError(t, err)
	p.input = input
	output, write, err := os.Pipe()
	require.NoError(t, err)
	p.cmd.Stdout, p.cmd.Stderr = write, write
	require.NoError(t, testenv.Start(t, p.cmd))
	require.NoError(t, write.Close())
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(output); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	return p
}

func (p *process) send(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.input, line+"\n")
	require.NoError(p.t, err)
}

// until returns the lines up to the one that matches a pattern, and the first group of the pattern.
func (p *process) until(pattern string) (lines []string, group string) {
	p.t.Helper()
	for re, limit := regexp.MustCompile(pattern), testenv.Limit(p.t); ; {
		select {
		case line, ok := <-p.lines:
			require.True(p.t, ok, "the program ended before a line like %s:\n%s", pattern, strings.Join(lines, "\n"))
			lines = append(lines, line)
			if m := re.FindStringSubmatch(line); m != nil {
				return lines, m[len(m)-1]
			}
		case <-limit:
			require.FailNow(p.t, "no line like "+pattern, strings.Join(lines, "\n"))
		}
	}
}

// ghost is a line of /ghosts.
type ghost struct {
	Ghost  int
	Class  string
	Fields map[string]any
}

// counts is the last line of /ghosts.
type counts struct {
	Packets, Creates, Updates, Relative, Kills int
	Controls, Lost                             int
}

// TestClient plays client.py against a server on a line with losses, with net.check on. At the end,
// its ghosts have the fields that the objects have at the server. It needs Python with the package
// cryptography, so it runs only with TORC_PYTHON=1.
func TestClient(t *testing.T) {
	if os.Getenv("TORC_PYTHON") == "" {
		t.Skip("TORC_PYTHON=1 plays it")
	}
	torc := filepath.Join(t.TempDir(), "torc")
	out, err := exec.Command("go", "build", "-o", torc, "../cmd/torc").CombinedOutput()
	require.NoError(t, err, "%s", out)

	server := start(t, torc, "serve", "--listen", "127.0.0.1:0", "--mod", "ctf", "--bots", "16", "--data", t.TempDir(),
		"--console", "line")
	_, address := server.until(`^listening on (\S+)`)
	server.send("net.check true")
	relay := start(t, torc, "relay", address, "--listen", "127.0.0.1:0", "--loss", "5", "--delay", "20ms", "--jitter", "15ms")
	_, port := relay.until(`UDP port (\d+)`)
	client := start(t, "python3", "-B", "client.py", "127.0.0.1:"+port, "--name", "Py")
	client.until(`^# in the game$`)

	client.send("hello from afar")
	client.until(`hello from afar$`)
	match := testenv.Length(20*time.Second, 150*time.Second) // keys change after two minutes
	server.send(fmt.Sprintf(`schedule(%d, function() echo("the match is over") end)`, match.Milliseconds()))
	server.until(`^the match is over$`)
	server.send("pause on")
	server.until(`^paused at tick`)
	objects := settled(t, server)
	var ghosts []ghost
	var n counts
	var fields int
	for limit := testenv.Limit(t); ; testenv.Pause() { // the last packets are on their way
		ghosts, n = followed(t, client)
		var wrong []string
		if fields, wrong = compare(t, server, ghosts, objects, n.Controls); len(wrong) == 0 {
			break
		}
		require.False(t, testenv.Expired(limit), "%s", strings.Join(wrong, "\n"))
	}
	assert.Len(t, ghosts, len(objects), "the ghosts that the server sends")
	t.Logf("%d packets, %d creates, %d updates, %d of them relative, %d kills; %d packets to the server were lost; %d ghosts with %d fields compared",
		n.Packets, n.Creates, n.Updates, n.Relative, n.Kills, n.Lost, len(ghosts), fields)
	assert.Greater(t, n.Updates, 1000)
	assert.Greater(t, n.Relative, n.Updates/2)
	assert.Positive(t, n.Lost, "the line loses packets")

	require.NoError(t, client.input.Close())
	require.NoError(t, client.cmd.Wait(), "the client leaves")
	server.send("pause off")
	server.until(`player left.* name=Py .*reason="closed by the peer"`)
}

// followed returns the ghosts that the client has, and its counts.
func followed(t *testing.T, client *process) (ghosts []ghost, n counts) {
	t.Helper()
	client.send("/ghosts")
	lines, _ := client.until(`^{"tick"`)
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &n))
	for _, line := range lines {
		if strings.HasPrefix(line, `{"ghost"`) {
			var g ghost
			require.NoError(t, json.Unmarshal([]byte(line), &g))
			ghosts = append(ghosts, g)
		}
	}
	return ghosts, n
}

// settled waits until the server has nothing more to send to the client. It returns the object of
// each ghost.
func settled(t *testing.T, server *process) map[int]int {
	t.Helper()
	for limit := testenv.Limit(t); ; testenv.Pause() {
		server.send("ghosts Py")
		lines, _ := server.until(`^received from the peer`)
		objects := map[int]int{}
		for _, line := range lines {
			if m := regexp.MustCompile(`^(\d+) live \d+ \S+ (\d+)`).FindStringSubmatch(line); m != nil {
				objects[number(t, m[1])] = number(t, m[2])
			}
		}
		if slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, fmt.Sprintf("sent to the peer: %d (0 new, 0 being created, %d live, 0 being killed), 0 with", len(objects), len(objects)))
		}) {
			return objects
		}
		require.False(t, testenv.Expired(limit), "%s", strings.Join(lines, "\n"))
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// These fields have other values at the client. A client of torc computes unsent by itself, from
// the updates that it gets: the fall of items, the flight of projectiles, and energy. Ctf hides the
// damage of the other team. The control state has the controlled fields of the client's own player.
var (
	unsent = map[string][]string{
		"Flag":       {"position", "velocity"},
		"Item":       {"position", "velocity"},
		"Projectile": {"position", "velocity", "age"},
		"Player":     {"energy", "damageLevel"},
		"Vehicle":    {"energy", "wheelTurn"},
		"Turret":     {"energy"},
	}
	controlled = []string{"position", "velocity", "rotation", "image0", "image1", "imageState0", "mount", "seat", "leaps", "moveX", "moveY", "jumping", "jetting"}
)

// compare compares the fields of ghosts with those of the objects at the server. It returns their
// number, and what differs.
func compare(t *testing.T, server *process, ghosts []ghost, objects map[int]int, own int) (fields int, wrong []string) {
	t.Helper()
	server.send(`for d in objects("SimDataBlock") do echo("block", d.id, d.name) end for o in objects("SceneObject") do o:dump() end echo("done")`)
	lines, _ := server.until(`^done$`)
	blocks, states, at := map[int]string{}, map[int]map[string]string{}, map[string]string(nil)
	for _, line := range lines {
		if m := regexp.MustCompile(`^block\t(\d+)\t(.*)`).FindStringSubmatch(line); m != nil {
			blocks[number(t, m[1])] = m[2]
		} else if m := regexp.MustCompile(`^(\w+) .*\bid (\d+)$`).FindStringSubmatch(line); m != nil {
			at = map[string]string{"class": m[1]}
			states[number(t, m[2])] = at
		} else if m := regexp.MustCompile(`^  (\w+) = (.*)`).FindStringSubmatch(line); m != nil {
			at[m[1]] = m[2]
		}
	}
	steps := quanta(t)
	for _, g := range ghosts {
		state := states[objects[g.Ghost]]
		if state["class"] != g.Class {
			wrong = append(wrong, fmt.Sprintf("ghost %d: %s, at the server %q", g.Ghost, g.Class, state["class"]))
			continue
		}
		for name, value := range g.Fields {
			if slices.Contains(unsent[g.Class], name) || g.Ghost == own && slices.Contains(controlled, name) {
				continue
			}
			fields++
			want, known := state[name]
			require.True(t, known, "%s.%s at the server: %v", g.Class, name, state)
			if !same(want, value, steps[name], blocks, objects) {
				wrong = append(wrong, fmt.Sprintf("ghost %d, %s.%s: %v, at the server %s", g.Ghost, g.Class, name, value, want))
			}
		}
	}
	return fields, wrong
}

// quanta returns for each name of a field the greatest rounding of its values on the wire.
func quanta(t *testing.T) map[string]float64 {
	t.Helper()
	cs := sim.NewClasses()
	require.NoError(t, game.Register(cs))
	steps := map[string]float64{}
	for id := 0; cs.ByWire(id) != nil; id++ {
		for _, f := range cs.ByWire(id).AllFields() {
			width := f.Hi - f.Lo
			if math.IsInf(width, 0) {
				width = 360
			}
			if f.Bits > 0 {
				steps[f.Name] = max(steps[f.Name], width/(math.Exp2(float64(f.Bits))-2))
			}
			steps[f.Name] = max(steps[f.Name], f.Step)
		}
	}
	return steps
}

// same compares a value at the server, as the console prints it, with that of a ghost.
func same(want string, value any, step float64, blocks map[int]string, objects map[int]int) bool {
	var id int
	object, _ := fmt.Sscanf(want, "object %d", &id)
	switch v := value.(type) {
	case nil:
		return want == "nil" || object == 1 && !slices.Contains(values(objects), id) && blocks[id] == ""
	case bool:
		return want == strconv.FormatBool(v)
	case string:
		return want == strconv.Quote(v) || object == 1 && blocks[id] == v
	case float64:
		if object == 1 {
			return objects[int(v)] == id
		}
		n, err := strconv.ParseFloat(want, 64)
		return err == nil && math.Abs(n-v) <= step/2+1e-6
	case []any:
		parts := strings.FieldsFunc(want, func(r rune) bool { return strings.ContainsRune("vecrot(), ", r) })
		for i, part := range v {
			n, err := strconv.ParseFloat(parts[i], 64)
			away := math.Abs(n - part.(float64))
			if strings.HasPrefix(want, "rot") {
				away = min(away, 360-away)
			}
			if err != nil || away > step/2+1e-6 {
				return false
			}
		}
		return len(parts) == len(v)
	}
	return false
}

func values(m map[int]int) (list []int) {
	for _, v := range m {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}
