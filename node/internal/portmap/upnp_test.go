package portmap

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/huin/goupnp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeIGD is a router that the test sets.
type fakeIGD struct {
	fails   error
	removed int
}

func (f *fakeIGD) AddPortMappingCtx(context.Context, string, uint16, string, uint16, string, bool, string, uint32) error {
	return f.fails
}

func (f *fakeIGD) DeletePortMappingCtx(context.Context, string, uint16, string) error {
	if f.fails == nil {
		f.removed++
	}
	return f.fails
}

func (f *fakeIGD) GetExternalIPAddressCtx(context.Context) (string, error) {
	return "198.51.100.1", nil
}
func (f *fakeIGD) LocalAddr() net.IP                       { return net.IPv4(10, 0, 0, 2) }
func (f *fakeIGD) GetServiceClient() *goupnp.ServiceClient { return nil }

// TestUPnPRemove: the mapping is removed after a failed renewal, from the same router or from the
// one that a new search finds.
func TestUPnPRemove(t *testing.T) {
	first, second := &fakeIGD{}, &fakeIGD{}
	var found igd = first
	u := &byUPnP{search: func(context.Context) igd { return found }}
	m, err := u.add(t.Context(), 28000)
	require.NoError(t, err)

	first.fails, found = errors.New("gone"), nil
	for range 2 {
		_, err = u.add(t.Context(), 28000)
		require.Error(t, err)
	}
	require.Error(t, u.remove(t.Context(), m, 28000))
	first.fails = nil
	require.NoError(t, u.remove(t.Context(), m, 28000))
	assert.Equal(t, 1, first.removed)

	first.fails, found = errors.New("gone"), second
	require.NoError(t, u.remove(t.Context(), m, 28000))
	assert.Equal(t, []int{1, 1}, []int{first.removed, second.removed})
}
