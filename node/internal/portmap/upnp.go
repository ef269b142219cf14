package portmap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/huin/goupnp"
	"github.com/huin/goupnp/dcps/internetgateway2"
	"github.com/huin/goupnp/soap"

	"github.com/torc-engine/torc/netcore/udp"
)

const (
	upnpTime     = 10 * time.Second // for a search and a mapping
	maxReply     = 256 << 10        // bytes of an HTTP reply
	onlyForever  = 725              // the router has no leases that end
	removeByName = "torc"           // the description of the mapping
)

// igd is the part of a router's service that forwards ports. Three versions of the service have it.
type igd interface {
	AddPortMappingCtx(ctx context.Context, remoteHost string, externalPort uint16, protocol string, internalPort uint16, internalClient string, enabled bool, description string, lease uint32) error
	DeletePortMappingCtx(ctx context.Context, remoteHost string, externalPort uint16, protocol string) error
	GetExternalIPAddressCtx(ctx context.Context) (string, error)
	LocalAddr() net.IP
	GetServiceClient() *goupnp.ServiceClient
}

// byUPnP is the Internet Gateway Device of UPnP.
type byUPnP struct {
	search func(ctx context.Context) igd // returns nil if no router answers
	found  igd                           // the router to ask; nil: search it
	mapped igd                           // the router that forwarded the port last
}

func (*byUPnP) String() string { return "UPnP" }

func (u *byUPnP) add(ctx context.Context, port uint16) (m mapping, err error) {
	ctx, cancel := context.WithTimeout(ctx, upnpTime)
	defer cancel()
	if u.found == nil {
		if u.found = u.search(ctx); u.found == nil {
			return m, errors.New("no router answered")
		}
	}
	if m, err = u.forward(ctx, port); err != nil {
		u.found = nil // search again the next time
		return m, err
	}
	u.mapped = u.found
	return m, nil
}

// forward asks the router.
func (u *byUPnP) forward(ctx context.Context, port uint16) (m mapping, err error) {
	own, err := u.found.GetExternalIPAddressCtx(ctx)
	if err != nil {
		return m, err
	}
	ip, err := netip.ParseAddr(own)
	if err != nil {
		return m, fmt.Errorf("the router has no address: %q", own)
	}
	ask := func(lease time.Duration) error {
		return u.found.AddPortMappingCtx(ctx, "", port, "UDP", port, u.found.LocalAddr().String(), true, removeByName, uint32(lease/time.Second))
	}
	m = mapping{external: netip.AddrPortFrom(ip, port), lease: lease}
	err = ask(lease)
	var fault *soap.SOAPFaultError
	if errors.As(err, &fault) && fault.Detail.UPnPError.Errorcode == onlyForever {
		m.lease, err = 0, ask(0)
	}
	return m, err
}

// remove asks the router that forwarded the port. If that fails, it searches: a router that
// restarted can have another address.
func (u *byUPnP) remove(ctx context.Context, m mapping, _ uint16) error {
	err := u.mapped.DeletePortMappingCtx(ctx, "", m.external.Port(), "UDP")
	if err == nil {
		return nil
	}
	if found := u.search(ctx); found != nil {
		return found.DeletePortMappingCtx(ctx, "", m.external.Port(), "UDP")
	}
	return err
}

// search returns the first router that answers, or nil.
func search(ctx context.Context) igd {
	limitReplies()
	var all []igd
	if found, _, err := internetgateway2.NewWANIPConnection2ClientsCtx(ctx); err == nil {
		all = appendIGDs(all, found)
	}
	if found, _, err := internetgateway2.NewWANIPConnection1ClientsCtx(ctx); err == nil && len(all) == 0 {
		all = appendIGDs(all, found)
	}
	if found, _, err := internetgateway2.NewWANPPPConnection1ClientsCtx(ctx); err == nil && len(all) == 0 {
		all = appendIGDs(all, found)
	}
	if len(all) == 0 {
		return nil
	}
	all[0].GetServiceClient().SOAPClient.HTTPClient = *goupnp.HTTPClientDefault
	return all[0]
}

func appendIGDs[T igd](all []igd, found []T) []igd {
	for _, f := range found {
		all = append(all, f)
	}
	return all
}

// limitReplies makes the library read only short replies, and only from the local network: anybody
// there can answer a search.
var limitReplies = sync.OnceFunc(func() {
	goupnp.HTTPClientDefault = &http.Client{
		Transport: localTransport{}, Timeout: upnpTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
})

// transport goes through no proxy.
var transport = &http.Transport{DisableKeepAlives: true}

// localTransport is a transport for the local network.
type localTransport struct{}

func (localTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	host, err := netip.ParseAddr(r.URL.Hostname())
	if err != nil || !udp.OnLink(host) {
		return nil, fmt.Errorf("%s is not on the local network", r.URL.Host)
	}
	reply, err := transport.RoundTrip(r)
	if err == nil {
		reply.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(reply.Body, maxReply), reply.Body}
	}
	return reply, err
}

// routerMethods are the methods, the first one to try first.
func routerMethods() []method { return []method{byNATPMP{}, &byUPnP{search: search}} }
