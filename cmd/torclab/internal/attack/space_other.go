//go:build !linux

package attack

import (
	"errors"
	"net/netip"
	"syscall"
)

// withParent is not supported here.
func withParent() *syscall.SysProcAttr { return nil }

// inSpace reports that rows are not run: only Linux has network namespaces.
func (s *suite) inSpace(rows []*Row) error {
	for _, r := range rows {
		s.emit(Result{r.ID, r.Require, "needs a network namespace of Linux", notRun})
	}
	return nil
}

var errNoSpace = errors.New("only Linux has network namespaces")

func startForged(netip.AddrPort, int, func([]byte) []byte) (*flood, error) { return nil, errNoSpace }

func enterSpace() error { return errNoSpace }
