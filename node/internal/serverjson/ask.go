//go:build !js

package serverjson

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
)

const (
	askTime      = 10 * time.Second
	maxHeader    = 8 << 10 // bytes
	maxRedirects = 3
	maxCause     = 200 // bytes of the reason of the network
)

// Ask returns the HOST:PORT at which programs reach the server of a link. It asks the page, for 10
// s or until ctx ends.
func Ask(ctx context.Context, l engine.Link) (string, error) {
	s, err := get(ctx, l.Site+Path)
	at := ""
	if err == nil {
		at, err = s.hostPort(l)
	}
	if err != nil && !errors.Is(err, errNoPort) {
		err = fmt.Errorf("%w. Without a page, join HOST:PORT#KEY with the UDP port of the server", err)
	}
	return at, err
}

// get reads the file.
func get(ctx context.Context, from string) (Server, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return Server{}, err
	}
	// A node reads no environment variable, so it knows no proxy. One answer needs no second
	// request.
	transport := &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: sameHost}
	answer, err := client.Do(r)
	if err != nil {
		return Server{}, fmt.Errorf("the page does not answer (%s), so check the link and whether the server runs", cause(err))
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return Server{}, errors.New("there is no torc server, or an old one: the page has no server.json")
	default:
		return Server{}, fmt.Errorf("the page refuses to say where the server is (HTTP status %d)", answer.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, MaxSize+1))
	if err != nil {
		return Server{}, fmt.Errorf("the page broke off its answer (%s)", cause(err))
	}
	return parse(b)
}

// sameHost lets a page send a client on to HTTPS, or to another port, but to no other host.
func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case len(via) > maxRedirects:
		return errors.New("it sends us on too often")
	case r.URL.Hostname() != first.Hostname():
		return errors.New("it sends us to another host")
	case first.Scheme == "https" && r.URL.Scheme != "https":
		return errors.New("it sends us away from HTTPS")
	}
	return nil
}

// cause returns why a request failed, without what the sentence around it says already. The reason
// can contain texts of the peer.
func cause(err error) string {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		err = of.Err
	}
	if of := (*net.OpError)(nil); errors.As(err, &of) {
		err = cmp.Or(of.Err, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("nothing within %v", askTime)
	}
	text := console.Clean(err.Error())
	return strings.ToValidUTF8(text[:min(len(text), maxCause)], "")
}
