package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// asProgram is set in the environment of a test binary that behaves as the program.
const asProgram = "TORCLAB_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if testenv.EndWithParent() && os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// says runs a command line in this process, and returns its status and what it prints.
func says(line ...string) (status int, out, complaint string) {
	var stdout, stderr bytes.Buffer
	status = run(line, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func TestWrongUsageIsOneSentence(t *testing.T) {
	t.Chdir(t.TempDir()) // no source tree
	for line, want := range map[string]string{
		"":                                     "torclab needs a subcommand: bench, attack, mutants, picture, version (see torclab help)",
		"dance":                                `torclab has no subcommand "dance"; it has bench, attack, mutants, picture, version`,
		"bench":                                "torclab bench needs the name of a workload: replicate, events, loss, ",
		"bench --json":                         "torclab bench needs the name of a workload: replicate, events, loss, ",
		"bench nothing":                        `torclab bench has no workload "nothing"; it has replicate, events, loss, `,
		"bench events more":                    `torclab bench: unexpected argument "more"`,
		"bench line nothing":                   `torclab bench line has no row "nothing"; it has `,
		"bench replicate --loss 5":             "--loss and --rtt need --lockstep",
		"bench replicate --lockstep --rtt 6-2": `--rtt "6-2": must be ticks from 1 to 64, or a range, for example 4 or 2-6`,
		"bench replicate --lockstep --rtt 0":   `--rtt "0": must be ticks`,
		"bench replicate --clients 1,many":     "whole number from 1 to 1000",
		"bench replicate --objects 65537":      "whole number from 1 to 65536",
		"bench replicate --active 101":         "whole number from 0 to 100",
		"bench events --seconds 0":             "a number above 0",
		"bench events --seconds NaN":           "a number above 0",
		"bench events --secnds 1":              "torclab bench has no flag --secnds, did you mean --seconds? (torclab help bench lists them)",
		"attack":                               "torclab builds ./cmd/torc, which is not here: name the program with --torc",
		"attack 10.0.0.1:28000":                "torclab attack 10.0.0.1:28000: only a server at a loopback address can be attacked",
		"attack 127.0.0.1:1 --row A31":         `torclab attack has no row "A31": the rows are 3, 6, `,
		"mutants":                              "torclab mutants needs the names of faults, --all, -n N or --list",
		"picture x":                            `torclab picture: unexpected argument "x"`,
		"version --x":                          "torclab version has no flag --x",
	} {
		status, out, complaint := says(strings.Fields(line)...)
		assert.Equal(t, misused, status, line)
		assert.False(t, strings.Contains(out, "pass"), line) // a table can have begun
		assert.Contains(t, complaint, want, line)
		assert.Equal(t, 1, strings.Count(complaint, "\n"), line)
	}
}

// TestHelp checks that the help of each flag has its argument and a description, and that the help
// of a subcommand is a part of the whole.
func TestHelp(t *testing.T) {
	_, all, _ := says("help")
	for _, tool := range tools {
		status, text, complaint := says("help", tool.name)
		assert.Zero(t, status)
		assert.Empty(t, complaint)
		assert.True(t, strings.HasPrefix(text, "torclab "+tool.name), text)
		assert.Contains(t, all, text)
		for _, line := range strings.Split(strings.TrimSpace(text), "\n")[2:] {
			assert.Regexp(t, `^ +--\S+( \S+)? +\w+[ :,].* `, line, tool.name)
		}
	}
	assert.NotContains(t, all, "bench-", "hidden subcommands")
}

// TestPageOfTheLab checks that docs/lab.md has each subcommand and each flag, and no other flag.
func TestPageOfTheLab(t *testing.T) {
	page, err := os.ReadFile("../../docs/lab.md")
	require.NoError(t, err)
	known := map[string]bool{"accept-key": true}
	_, all, _ := says("help")
	for _, flag := range regexp.MustCompile(`(?m)^ +--(\S+)`).FindAllStringSubmatch(all, -1) {
		known[flag[1]] = true
		assert.Contains(t, string(page), flag[1], "the page has no --%s", flag[1])
	}
	for _, tool := range tools {
		assert.Contains(t, string(page), "`torclab "+tool.name)
	}
	for _, flag := range regexp.MustCompile("--([a-z][a-z-]*)").FindAllStringSubmatch(string(page), -1) {
		assert.True(t, known[flag[1]], "torclab has no flag --%s", flag[1])
	}
}

// TestBenchPlay runs very short fights in real time and in lockstep, with the clients in a process of this program. It
// checks that the workload works and does not measure speed.
func TestBenchPlay(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	for _, form := range []string{"", "--lockstep"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			line := "bench play --clients 3 --seconds 0.1 --json " + form
			cmd := exec.Command(exe, strings.Fields(line)...)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			out, err := testenv.Output(t, cmd)
			require.NoError(t, err)
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			require.Len(t, lines, 4, "one thread, two, with loss; then a move")
			for i, line := range lines[:3] {
				row := map[string]any{}
				require.NoError(t, json.Unmarshal([]byte(line), &row))
				assert.Equal(t, 3., row["clients"])
				assert.Equal(t, i == 2, row["loss_percent"] == 2.)
				assert.Equal(t, form != "", row["lockstep"])
				assert.Contains(t, row, "error_far_p99")
				assert.LessOrEqual(t, row["visible_players"], 2.)
				for _, field := range []string{
					"ticks", "tick_cpu_ms_p99", "receive_ms_mean", "moves_ms_mean", "simulation_ms_mean", "lua_ms_mean", "replicate_ms_mean", "send_ms_mean",
					"lua_share", "pack_ns_per_update", "visible_players", "moves_per_client_s", "bits_per_visible_player_s", "swarm_cores",
				} {
					assert.Positive(t, row[field], field)
				}
			}
			cost := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(lines[3]), &cost))
			assert.Positive(t, cost["player_move_ns"])
			assert.Positive(t, cost["replay_30_moves_us"])
		})
	}
}

// TestPictureGoesIntoAFile writes a picture into a file.
func TestPictureGoesIntoAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "view.svg")
	status, out, complaint := says("picture", "--ticks", "300", "--bots", "4", "--out", path)
	require.Zero(t, status, complaint)
	assert.Empty(t, out)
	image, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(image), "<svg")
}
