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
	"slices"
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
	Relays  bool   // nodes reach each other through relays: Cut separates them
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
	URL     string
	Config  string // file
	Data    string // folder
	Monitor string // HOST:PORT

	t       testing.TB
	program string
	cmd     *exec.Cmd // nil: it does not run
	routes  []*relay  // to and from the node
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
	var routes []string // where nodes listen for each other
	ports := freePorts(t, 3*count)
	for n := range count {
		node := &Node{
			Name: fmt.Sprint("n", n), URL: fmt.Sprintf("nats://127.0.0.1:%d", ports[3*n]),
			Config: filepath.Join(t.TempDir(), "nats.conf"), Data: filepath.Join(dir, fmt.Sprint("n", n)),
			Monitor: fmt.Sprintf("127.0.0.1:%d", ports[3*n+2]), t: t, program: program,
		}
		c.URLs = append(c.URLs, node.URL)
		c.Nodes = append(c.Nodes, node)
		routes = append(routes, fmt.Sprintf("127.0.0.1:%d", ports[3*n+1]))
	}
	for at, node := range c.Nodes {
		text := o.text(node)
		if count > 1 {
			text += c.cluster(at, routes, o.Relays)
		}
		require.NoError(t, os.WriteFile(node.Config, []byte(text), 0o600))
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

// cluster returns the lines that join a node to the others.
func (c *Cluster) cluster(at int, listen []string, relays bool) string {
	to, more := slices.Clone(listen), ""
	if relays {
		more = ", advertise: \"127.0.0.1:1\"" // nobody is there: nodes that hear of each other cannot pass by the relays
		for i, address := range listen {
			if i == at {
				continue
			}
			r := newRelay(c.t, address)
			to[i] = r.address()
			for _, n := range []*Node{c.Nodes[at], c.Nodes[i]} {
				n.routes = append(n.routes, r)
			}
		}
	}
	for i := range to {
		to[i] = "nats://" + to[i]
	}
	return fmt.Sprintf("cluster { name: fleet, listen: %q, routes: [%s]%s }\n", listen[at], strings.Join(to, ", "), more)
}

func (o Options) text(n *Node) string {
	sync, most := o.Sync, o.MaxFile
	if sync == "" {
		sync = "always"
	}
	if most == "" {
		most = "256M"
	}
	return fmt.Sprintf("server_name: %s\nlisten: %q\nhttp: %q\njetstream { store_dir: %q, sync_interval: %q, max_mem: 64M, max_file: %s }\n%s\n%s\n",
		n.Name, strings.TrimPrefix(n.URL, "nats://"), n.Monitor, n.Data, sync, most, o.Users, o.More)
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
		if l := c.Led(stream); l != nil {
			return l
		}
		require.False(c.t, testenv.Expired(limit), "the stream %s has no leader", stream)
		testenv.Pause()
	}
}

// Led returns the node that leads a stream now: it says so itself, and a majority of the nodes
// agrees. nil: there is none, or a node that might know does not answer within a second.
func (c *Cluster) Led(stream string) *Node {
	said := make(chan vote, len(c.Nodes))
	asked := 0
	for _, n := range c.Nodes {
		if n.cmd != nil {
			asked++
			go func() { said <- vote{n, n.leader(stream)} }()
		}
	}
	votes, claims := map[string]int{}, map[string]*Node{}
	for range asked {
		v := <-said
		votes[v.leader]++
		if v.leader == v.by.Name {
			claims[v.leader] = v.by
		}
		if l := claims[v.leader]; l != nil && votes[v.leader] > len(c.Nodes)/2 {
			return l
		}
	}
	return nil
}

// A vote is who leads a stream, as one node knows.
type vote struct {
	by     *Node
	leader string // "" for nobody
}

// leader returns the name of the node that leads a stream, as this node knows; "" for none.
func (n *Node) leader(stream string) string {
	b, err := n.get("/jsz?streams=true")
	if err != nil {
		return ""
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
		return ""
	}
	for _, a := range z.Accounts {
		for _, s := range a.Streams {
			if s.Name != stream {
				continue
			}
			if s.Cluster == nil {
				return n.Name
			}
			return s.Cluster.Leader
		}
	}
	return ""
}

// CPU returns the CPU time that the process has used; 0 if it does not run.
func (n *Node) CPU() time.Duration {
	if n.cmd == nil {
		return 0
	}
	return CPU(n.cmd.Process.Pid)
}

// Runs reports whether the process was started and not killed since.
func (n *Node) Runs() bool { return n.cmd != nil }
