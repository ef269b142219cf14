package bench

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/netsim/line"
)

// Addresses in a network namespace: what is sent to kernelClient passes the token bucket of the
// system.
var (
	kernelServer = net.IPv4(10, 0, 0, 1)
	kernelClient = net.IPv4(10, 0, 0, 2)
)

// kernelSetup makes a line of %d kbit/s with a queue of 100 ms for all that is sent to
// kernelClient. TCP sends segments of at most 1,500 bytes. The token bucket takes them when they
// arrive, as in a router: a TCP knows at once what its own host drops, and keeps its queues there
// short.
const kernelSetup = `set -e
ip link set lo up mtu 1500 gso_max_size 1500 gso_max_segs 1
ip addr add 10.0.0.1/32 dev lo
ip addr add 10.0.0.2/32 dev lo
ip link add ifb0 type ifb
ip link set ifb0 up
tc qdisc add dev ifb0 root tbf rate %dkbit burst 1600 latency 100ms
tc qdisc add dev lo ingress
tc filter add dev lo parent ffff: protocol ip u32 match ip dst 10.0.0.2/32 action mirred egress redirect dev ifb0
`

// kernelLine is a line.Medium of real sockets in this network namespace.
type kernelLine struct {
	*liveLine
	got atomic.Int64 // bytes that the client has received, with headers
}

func (l *kernelLine) Set(_, _ netsim.Direction) {}
func (l *kernelLine) Wait() netcore.Time        { return 0 }
func (l *kernelLine) Down(int) netsim.Flow      { return netsim.Flow{DeliveredBytes: int(l.got.Load())} }

// countedMachine counts what it receives.
type countedMachine struct {
	*line.End
	got *atomic.Int64
}

func (m countedMachine) Receive(now netcore.Time, from netcore.Addr, d []byte) {
	m.got.Add(int64(len(d) + netsim.HeaderBytes))
	m.End.Receive(now, from, d)
}

func (l *kernelLine) Pair(server, client netsim.Machine, _ netcore.Time) {
	s, err1 := l.openAt(kernelServer, server, line.ClientAddr(0))
	c, err2 := l.openAt(kernelClient, countedMachine{client.(*line.End), &l.got}, line.ServerAddr(0))
	if l.err = errors.Join(l.err, err1, err2); l.err != nil {
		return
	}
	c.peers = []netip.AddrPort{s.socket.LocalAddr().(*net.UDPAddr).AddrPort()}
}

// besideKernelTCP measures the share of a connection beside a TCP of the kernel with CUBIC, which
// starts 3 s later. rate is in bits/s.
func besideKernelTCP(rate float64, long time.Duration) (torc, tcp float64, err error) {
	if out, err := exec.Command("sh", "-c", fmt.Sprintf(kernelSetup, int(rate/1000))).CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	l := &kernelLine{liveLine: newLiveLine()}
	defer func() { err = errors.Join(err, l.close()) }()
	run := line.NewRun(l, 1, rate, 100*time.Millisecond)
	run.Connect(true, 0)
	run.Use(3 * time.Second)
	count, stop, err := startTCP()
	if err != nil {
		return 0, 0, err
	}
	defer stop()
	u := run.Use(run.Now() + long)
	return u.Shares[0], float64(count.Load()) * 8 / long.Seconds() / rate * 1500 / 1448, nil
}

// startTCP sends as fast as it can over a TCP connection with CUBIC. count is the payload received.
func startTCP() (count *atomic.Int64, stop func(), err error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: kernelClient})
	if err != nil {
		return nil, nil, err
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: kernelServer}, Control: func(_, _ string, c syscall.RawConn) (err error) {
		_ = c.Control(func(fd uintptr) {
			err = syscall.SetsockoptString(int(fd), syscall.IPPROTO_TCP, syscall.TCP_CONGESTION, "cubic")
		})
		return err
	}}
	sender, err := dialer.Dial("tcp4", listener.Addr().String())
	if err != nil {
		return nil, nil, errors.Join(err, listener.Close())
	}
	receiver, err := listener.Accept()
	if err != nil {
		return nil, nil, err
	}
	count = new(atomic.Int64)
	go func() {
		for b := make([]byte, 1<<16); ; {
			n, err := receiver.Read(b)
			if err != nil {
				return
			}
			count.Add(int64(n))
		}
	}()
	go func() { _, _ = io.Copy(sender, endless{}) }()
	return count, func() { _, _, _ = sender.Close(), receiver.Close(), listener.Close() }, nil
}

// endless is a reader of zeros.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// kernelCommand returns a process of this program with a network namespace of its own.
func kernelCommand() (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe, Kernel)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig:   syscall.SIGTERM,
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return cmd, nil
}
