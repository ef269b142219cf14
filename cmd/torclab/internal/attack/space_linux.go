package attack

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// withParent makes a process end when the process that starts it has ended.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

// inSpace plays rows in a process of its own, with a network namespace of its own. If the system
// does not allow that, the rows are not run, and say why.
func (s *suite) inSpace(rows []*Row) error {
	if len(rows) == 0 {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{Inside, "--json", "--torc", s.Torc}
	for _, r := range rows {
		args = append(args, "--row", r.ID)
	}
	if s.Short {
		args = append(args, "--short")
	}
	cmd := exec.CommandContext(s.ctx, exe, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig:   syscall.SIGTERM,
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it has a server to end
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.skip(rows, "the system allows no network namespace: "+err.Error())
		return nil
	}
	played, err := s.pass(out)
	ended := cmd.Wait()
	if played < len(rows) && err == nil {
		s.skip(rows[played:], fmt.Sprintf("in the network namespace: %v: %s", ended, strings.TrimSpace(complaint.String())))
	}
	return err
}

// pass emits the results of the other process.
func (s *suite) pass(out io.Reader) (played int, err error) {
	for from := json.NewDecoder(out); ; played++ {
		var r Result
		switch err := from.Decode(&r); {
		case errors.Is(err, io.EOF):
			return played, nil
		case err != nil:
			return played, err
		}
		s.emit(r)
	}
}

// skip emits rows that are not run.
func (s *suite) skip(rows []*Row, why string) {
	for _, r := range rows {
		s.emit(Result{r.ID, r.Require, why, notRun})
	}
}

// startForged sends perSecond packets per second to an IPv4 address, each from another forged
// address of 11.0.0.0/8. It needs the rights of a network namespace of its own.
func startForged(to netip.AddrPort, perSecond int, packet func(b []byte) []byte) (*flood, error) {
	raw, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_RAW, syscall.IPPROTO_RAW)
	if err != nil {
		return nil, fmt.Errorf("raw socket: %w", err)
	}
	f := &flood{close: func() { _ = syscall.Close(raw) }}
	at := &syscall.SockaddrInet4{Addr: to.Addr().As4()}
	source := uint32(11 << 24)
	f.write = func(_ int64, b []byte) error {
		source = 11<<24 | (source+1)&(1<<24-1)
		return syscall.Sendto(raw, datagram(source, to, b), 0, at)
	}
	f.start(perSecond, packet)
	return f, nil
}

// datagram returns an IPv4 packet with a UDP datagram from a source address. The system computes
// the checksum of the header; that of UDP is left out.
func datagram(source uint32, to netip.AddrPort, b []byte) []byte {
	const ipHead, udpHead = 20, 8
	p := make([]byte, ipHead+udpHead, ipHead+udpHead+len(b))
	p[0], p[8], p[9] = 0x45, 64, syscall.IPPROTO_UDP // version and size, time to live, protocol
	binary.BigEndian.PutUint32(p[12:], source)
	ip := to.Addr().As4()
	copy(p[16:], ip[:])
	binary.BigEndian.PutUint16(p[20:], uint16(1024+source%60000))
	binary.BigEndian.PutUint16(p[22:], to.Port())
	binary.BigEndian.PutUint16(p[24:], uint16(udpHead+len(b)))
	return append(p, b...)
}

// enterSpace gives the network namespace of this process its addresses.
func enterSpace() error {
	var batch strings.Builder
	batch.WriteString("link set lo up\n")
	for _, a := range spaceAddresses() {
		if strings.Contains(a, ":") {
			fmt.Fprintf(&batch, "addr add %s/128 dev lo nodad\n", a)
		} else {
			fmt.Fprintf(&batch, "addr add %s/32 dev lo\n", a)
		}
	}
	cmd := exec.Command("ip", "-batch", "-")
	cmd.Stdin = strings.NewReader(batch.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ip -batch: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
