package node_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/assert/yaml"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// dashboard is the part of a dashboard of Grafana that the test checks.
type dashboard struct {
	Title         string
	UID           string
	SchemaVersion int
	Templating    struct{ List []struct{ Name string } }
	Annotations   struct{ List []struct{ Expr string } }
	Panels        []panel
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ H, W, X, Y int }
	Datasource               struct{ Type, UID string }
	FieldConfig              struct {
		Defaults struct{ Unit string }
	}
	Targets []struct{ RefID, Expr, LegendFormat string }
}

// alertFile is a file of alert rules of Prometheus.
type alertFile struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr, For    string
			Labels, Annotations map[string]string
		}
	}
}

// readMetrics returns the types of the metrics of a server that has played: by name, and "" without
// a type.
func readMetrics(t *testing.T) map[string]string {
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: webConfig(), Load: []string{"ctf"}}, Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: "1"}}}})
	nodetest.Runs(s.Run)
	c := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Ann"}, Client: node.ClientConfig{Address: s.Address()}})
	nodetest.Runs(c.Run)
	nodetest.Eventually(t, c.Do, "Ann is in the game", c.Ready)
	all := map[string]string{}
	for line := range strings.Lines(onConsole(t, s, "metrics")) {
		if kind, found := strings.CutPrefix(line, "# TYPE "); found {
			name, of, _ := strings.Cut(strings.TrimSpace(kind), " ")
			all[name] = of
		} else if name := regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*`).FindString(line); name != "" && all[name] == "" {
			all[name] = ""
		}
	}
	return all
}

// metricName finds the metrics of an expression: the names that begin like those of the server.
var metricName = regexp.MustCompile(`\b(?:torc|go|process)_[a-zA-Z0-9_]+`)

// wrongExpression says what is wrong with an expression of PromQL; "" is nothing that these checks
// find. They are not a parser.
func wrongExpression(expr string, metrics map[string]string) string {
	var open []rune
	text := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).ReplaceAllString(expr, "''")
	for _, r := range text {
		switch r {
		case '(', '[', '{':
			open = append(open, map[rune]rune{'(': ')', '[': ']', '{': '}'}[r])
		case ')', ']', '}':
			if len(open) == 0 || open[len(open)-1] != r {
				return "brackets"
			}
			open = open[:len(open)-1]
		case '"':
			return "quotes"
		}
	}
	if len(open) > 0 {
		return "brackets"
	}
	for _, name := range metricName.FindAllString(text, -1) {
		of, known := metrics[name]
		if !known && (runtime.GOOS == "linux" || !strings.HasPrefix(name, "process_")) {
			return "there is no " + name
		}
		asRate := regexp.MustCompile(`\b(?:rate|increase)\(` + name + `(?:\{[^}]*\})?\[[^\]]+\]\)`).MatchString(text)
		if counts := of == "counter" || of == "" && strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "_bucket"); counts != asRate && name != "process_start_time_seconds" {
			return fmt.Sprintf("%s is a %s", name, of)
		}
	}
	return ""
}

func readDashboard(t *testing.T) (d dashboard, text string) {
	b, err := os.ReadFile(filepath.Join("..", "dist", "grafana", "torc.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &d))
	return d, string(b)
}

// TestDashboard checks the dashboard against the metrics of a server, and its panels.
func TestDashboard(t *testing.T) {
	t.Parallel()
	metrics := readMetrics(t)
	d, text := readDashboard(t)
	assert.NotEmpty(t, d.Title)
	assert.NotEmpty(t, d.UID)
	assert.GreaterOrEqual(t, d.SchemaVersion, 36)
	ids, cells := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		assert.False(t, ids[p.ID], "%s: its id is not unique", p.Title)
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				assert.Empty(t, cells[[2]int{x, y}], "%s covers another panel", p.Title)
				cells[[2]int{x, y}] = p.Title
			}
		}
		assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		assert.NotEmpty(t, p.Title)
		if p.Type == "row" {
			continue
		}
		assert.Contains(t, []string{"timeseries", "stat"}, p.Type, p.Title)
		assert.NotEmpty(t, p.Description, "%s: what does it answer?", p.Title)
		assert.NotEmpty(t, p.FieldConfig.Defaults.Unit, p.Title)
		assert.Equal(t, "${datasource}", p.Datasource.UID, p.Title)
		assert.NotEmpty(t, p.Targets, p.Title)
		refs := map[string]bool{}
		for _, q := range p.Targets {
			assert.False(t, refs[q.RefID], "%s: %s is not unique", p.Title, q.RefID)
			refs[q.RefID] = true
			assert.Empty(t, wrongExpression(q.Expr, metrics), "%s: %s", p.Title, q.Expr)
			assert.Contains(t, q.Expr, `{job=~"$job", instance=~"$instance"`, "%s ignores the choice of servers", p.Title)
		}
	}
	for _, a := range d.Annotations.List {
		assert.Empty(t, wrongExpression(a.Expr, metrics), a.Expr)
	}
	for _, v := range regexp.MustCompile(`\$\{?([a-z_]+)`).FindAllStringSubmatch(text, -1) {
		declared := strings.HasPrefix(v[1], "__")
		for _, one := range d.Templating.List {
			declared = declared || one.Name == v[1]
		}
		assert.True(t, declared, "there is no variable %s", v[1])
	}
}

// TestDashboardLeavesNothingOut checks that each metric is on the dashboard, or in the list of
// those that are not, with a reason.
func TestDashboardLeavesNothingOut(t *testing.T) {
	t.Parallel()
	metrics := readMetrics(t)
	_, text := readDashboard(t)
	shown := map[string]bool{}
	for _, name := range metricName.FindAllString(text, -1) {
		shown[name] = true
	}
	page, err := os.ReadFile(filepath.Join("..", "dist", "grafana", "README.md"))
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(page), "leaves out\n")
	var out []string
	for _, row := range regexp.MustCompile(`(?m)^\| (.+?) \| (.+) \|$`).FindAllStringSubmatch(list, -1) {
		for _, name := range regexp.MustCompile("`([a-z_*]+)`").FindAllStringSubmatch(row[1], -1) {
			out = append(out, name[1])
			assert.Greater(t, len(row[2]), 7, "%s: a reason", name[1])
		}
	}
	require.Greater(t, len(out), 10)
	used := map[string]bool{}
	for name := range metrics {
		i := slices.IndexFunc(out, func(o string) bool {
			prefix, all := strings.CutSuffix(o, "*")
			return o == name || all && strings.HasPrefix(name, prefix)
		})
		if i >= 0 {
			used[out[i]] = true
		}
		base := regexp.MustCompile(`_(?:bucket|sum|count)$`).ReplaceAllString(name, "")
		assert.True(t, i >= 0 || shown[name] || shown[base+"_bucket"], "%s is neither on the dashboard nor in the list", name)
		if i >= 0 && out[i] == name {
			assert.False(t, shown[name], "%s is on the dashboard and in the list", name)
		}
	}
	if runtime.GOOS == "linux" {
		for _, o := range out {
			assert.True(t, used[o], "there is no %s", o)
		}
	}
}

// TestAlerts checks the alert rules against the metrics of a server.
func TestAlerts(t *testing.T) {
	t.Parallel()
	metrics := readMetrics(t)
	text, err := os.ReadFile(filepath.Join("..", "dist", "grafana", "alerts.yml"))
	require.NoError(t, err)
	var file alertFile
	require.NoError(t, yaml.Unmarshal(text, &file))
	names := map[string]bool{}
	for _, g := range file.Groups {
		assert.NotEmpty(t, g.Name)
		for _, r := range g.Rules {
			assert.Regexp(t, `^Torc[A-Z][A-Za-z]+$`, r.Alert)
			assert.False(t, names[r.Alert], "%s is not unique", r.Alert)
			names[r.Alert] = true
			assert.Empty(t, wrongExpression(r.Expr, metrics), "%s: %s", r.Alert, r.Expr)
			assert.Contains(t, r.Expr, `job="torc"`, r.Alert)
			assert.Contains(t, []string{"critical", "warning", "info"}, r.Labels["severity"], r.Alert)
			assert.Regexp(t, `^(|\d+[smh])$`, r.For, r.Alert)
			assert.NotEmpty(t, r.Annotations["summary"], r.Alert)
			assert.Greater(t, len(r.Annotations["description"]), 60, "%s: a reason, and what to do", r.Alert)
			assert.Equal(t, strings.Count(r.Annotations["summary"], "{{"), strings.Count(r.Annotations["summary"], "}}"), r.Alert)
		}
	}
	assert.Len(t, names, 8)
}

// TestWrongExpressions feeds the checks with expressions that are wrong.
func TestWrongExpressions(t *testing.T) {
	metrics := map[string]string{"torc_ticks_total": "counter", "torc_clients": "gauge", "go_gc_pauses_seconds_bucket": ""}
	for expr, want := range map[string]string{
		`rate(torc_ticks_total{job="a)"}[5m])`:       "",
		`sum(torc_clients) / 2`:                      "",
		`rate(go_gc_pauses_seconds_bucket[1m])`:      "",
		`rate(torc_ticks_total[5m]`:                  "brackets",
		`sum(torc_clients))`:                         "brackets",
		`(torc_clients]`:                             "brackets",
		`torc_clients{job="x}`:                       "quotes",
		`torc_ticks_total`:                           "torc_ticks_total is a counter",
		`rate(torc_clients[5m])`:                     "torc_clients is a gauge",
		`torc_player_count`:                          "there is no torc_player_count",
		`sum(go_gc_pauses_seconds_bucket{le="0.1"})`: "go_gc_pauses_seconds_bucket is a ",
	} {
		assert.Equal(t, want, wrongExpression(expr, metrics), expr)
	}
}
