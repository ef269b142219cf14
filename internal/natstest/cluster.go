package natstest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// Options say how nodes run. The zero Options are what docs/fleet.md recommends.
type Options struct {
	Nodes   int    // 1 or 3; 0 for 1
	Sync    string // sync_interval; "" for always
	MaxFile string // max_file; "" for 256M
	Dir     string // of the data; "" for a folder of the test
	Users   string // configuration of users; "" for one without a password
	More    string // further lines of the configuration
}

// A Cluster is nodes of nats-server on loopback.
type Cluster struct {
	URLs  []string
	Nodes []*Node
	t     testing.TB
}

// A Node is a process of nats-server, which can be killed and started again.
type Node struct {
	Name    string
	Config  string // file
	Data    string // folder
	Monitor string // HOST:PORT

	t       testing.TB
	program string
	cmd     *exec.Cmd // nil: it does not run
}

// Program returns the path of nats-server. Without one, it skips the test.
func Program(t testing.TB) string {
	t.Helper()
	program := os.Getenv("TORC_NATS")
	if program == "" {
		t.Skip("TORC_NATS does not name a nats-server")
	}
	return program
}

// New makes nodes and waits until they are healthy.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	program := Program(t)
	count := max(o.Nodes, 1)
	dir := o.Dir
	if dir == "" {
		dir = t.TempDir()
	}
	c := &Cluster{t: t}
	var routes []string
	ports := freePorts(t, 3*count)
	for n := range count {
		c.URLs = append(c.URLs, fmt.Sprintf("nats://127.0.0.1:%d", ports[3*n]))
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[3*n+1]))
	}
	for n := range count {
		node := &Node{
			Name: fmt.Sprint("n", n), Config: filepath.Join(t.TempDir(), "nats.conf"), Data: filepath.Join(dir, fmt.Sprint("n", n)),
			Monitor: fmt.Sprintf("127.0.0.1:%d", ports[3*n+2]), t: t, program: program,
		}
		text := o.text(node, ports[3*n])
		if count > 1 {
			text += fmt.Sprintf("cluster { name: fleet, listen: \"127.0.0.1:%d\", routes: [%s] }\n", ports[3*n+1], strings.Join(routes, ", "))
		}
		require.NoError(t, os.WriteFile(node.Config, []byte(text), 0o600))
		c.Nodes = append(c.Nodes, node)
	}
	for _, n := range c.Nodes {
		n.Start()
	}
	t.Cleanup(func() {
		for _, n := range c.Nodes {
			n.Kill()
		}
	})
	for _, n := range c.Nodes {
		n.WaitHealthy()
	}
	return c
}

func (o Options) text(n *Node, port int) string {
	sync, most := o.Sync, o.MaxFile
	if sync == "" {
		sync = "always"
	}
	if most == "" {
		most = "256M"
	}
	return fmt.Sprintf("server_name: %s\nlisten: \"127.0.0.1:%d\"\nhttp: %q\njetstream { store_dir: %q, sync_interval: %q, max_mem: 64M, max_file: %s }\n%s\n%s\n",
		n.Name, port, n.Monitor, n.Data, sync, most, o.Users, o.More)
}

// freePorts returns ports of loopback that nobody uses now.
func freePorts(t testing.TB, n int) (ports []int) {
	for range n {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// Start starts the process.
func (n *Node) Start() {
	n.t.Helper()
	log, err := os.OpenFile(n.Config+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(n.t, err)
	defer log.Close()
	n.cmd = exec.Command(n.program, "-c", n.Config)
	n.cmd.Stdout, n.cmd.Stderr = log, log
	n.cmd.SysProcAttr = withParent()
	require.NoError(n.t, n.cmd.Start())
}

// Kill ends the process at once, as kill -9 does.
func (n *Node) Kill() {
	if n.cmd != nil {
		_ = n.cmd.Process.Kill()
		_ = n.cmd.Wait()
		n.cmd = nil
	}
}

// Signal sends a signal to the process.
func (n *Node) Signal(s os.Signal) { require.NoError(n.t, n.cmd.Process.Signal(s)) }

// Wipe removes the data of a node that does not run.
func (n *Node) Wipe() { require.NoError(n.t, os.RemoveAll(n.Data)) }

// Log returns what the process has said.
func (n *Node) Log() string {
	b, _ := os.ReadFile(n.Config + ".log")
	return string(b)
}

var client = http.Client{Timeout: time.Second}

// Healthy reports whether the node serves all its streams.
func (n *Node) Healthy() bool {
	b, err := n.get("/healthz")
	return err == nil && strings.Contains(string(b), `"ok"`)
}

func (n *Node) get(path string) ([]byte, error) {
	r, err := client.Get("http://" + n.Monitor + path)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

// WaitHealthy waits until the node serves all its streams.
func (n *Node) WaitHealthy() {
	n.t.Helper()
	limit := testenv.Limit(n.t)
	for !n.Healthy() {
		if testenv.Expired(limit) {
			require.FailNow(n.t, "node "+n.Name+" is not healthy", n.Log())
		}
		testenv.Pause()
	}
}

// Leader waits until a stream has a leader and returns its node.
func (c *Cluster) Leader(stream string) *Node {
	c.t.Helper()
	limit := testenv.Limit(c.t)
	for {
		for _, n := range c.Nodes {
			if n.cmd == nil {
				continue
			}
			name, err := n.leader(stream)
			for _, l := range c.Nodes {
				if err == nil && l.Name == name && l.cmd != nil {
					return l
				}
			}
		}
		require.False(c.t, testenv.Expired(limit), "the stream %s has no leader", stream)
		testenv.Pause()
	}
}

func (n *Node) leader(stream string) (string, error) {
	b, err := n.get("/jsz?streams=true")
	if err != nil {
		return "", err
	}
	var z struct {
		Accounts []struct {
			Streams []struct {
				Name    string `json:"name"`
				Cluster *struct {
					Leader string `json:"leader"`
				} `json:"cluster"`
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	if err := json.Unmarshal(b, &z); err != nil {
		return "", err
	}
	for _, a := range z.Accounts {
		for _, s := range a.Streams {
			if s.Name != stream {
				continue
			}
			if s.Cluster == nil {
				return n.Name, nil
			}
			return s.Cluster.Leader, nil
		}
	}
	return "", nil
}

// Runs reports whether the process was started and not killed since.
func (n *Node) Runs() bool { return n.cmd != nil }
