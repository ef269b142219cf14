package modnet

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/script/sockets"
)

const (
	maxHeader    = 64 << 10 // bytes of the header of a response
	maxRedirects = 5
	maxReason    = 300 // bytes of an error message
)

// HTTP is part of sockets.Network.
func (n *Network) HTTP(id sockets.ID, r sockets.HTTPRequest) {
	ctx, end := n.timeout(requestTime)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests[id] = end
	n.run(func() {
		e, err := n.fetch(ctx, r)
		if err != nil {
			e = sockets.Event{Kind: sockets.Ended, Reason: reason(ctx, err)}
		}
		end()
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.requests[id] != nil { // else the request was cancelled
			delete(n.requests, id)
			e.ID = id
			n.post(e)
		}
	})
}

// fetch makes a request and reads the response.
func (n *Network) fetch(ctx context.Context, r sockets.HTTPRequest) (sockets.Event, error) {
	ask, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return sockets.Event{}, err
	}
	ask.Header.Set("User-Agent", "torc")
	if r.Method == http.MethodPost {
		ask.Header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	for _, f := range r.Header {
		ask.Header.Set(f.Name, f.Value)
	}
	transport := &http.Transport{ // Proxy is nil: the environment has no say
		DialContext:            n.dialer(r.Target).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: n.roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:      true,
		DisableCompression:     true, // the limit of the body holds for what arrives
		MaxResponseHeaderBytes: maxHeader,
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		return checkRedirect(ask.URL, next.URL, len(before))
	}}
	answer, err := client.Do(ask)
	if err != nil {
		return sockets.Event{}, err
	}
	defer func() { _ = answer.Body.Close() }() // the connection is not used again
	body, err := io.ReadAll(io.LimitReader(answer.Body, int64(r.Most)+1))
	switch {
	case len(body) > r.Most:
		return sockets.Event{}, fmt.Errorf("the response is longer than %d bytes", r.Most)
	case err != nil:
		return sockets.Event{}, err
	}
	return sockets.Event{Kind: sockets.Responded, Status: answer.StatusCode, Header: fields(answer.Header), Data: body}, nil
}

// checkRedirect returns an error unless a redirect stays on the host, the port and the protocol of
// the first request. done is the number of requests so far.
func checkRedirect(first, next *url.URL, done int) error {
	switch {
	case next.Scheme != first.Scheme || !strings.EqualFold(next.Hostname(), first.Hostname()) || portOf(next) != portOf(first):
		return fmt.Errorf("the server redirects to %s://%s: request that host instead", next.Scheme, next.Host)
	case done > maxRedirects:
		return fmt.Errorf("the server redirects more than %d times", maxRedirects)
	}
	return nil
}

// portOf returns the port of a URL, "" for the one of the protocol.
func portOf(u *url.URL) string {
	if port := u.Port(); port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		return port
	}
	return ""
}

// fields returns a header sorted by name.
func fields(h http.Header) []sockets.Field {
	list := make([]sockets.Field, 0, len(h))
	for name, values := range h {
		list = append(list, sockets.Field{Name: strings.ToLower(name), Value: strings.Join(values, ", ")})
	}
	order.By(list, func(x, y sockets.Field) int { return strings.Compare(x.Name, y.Name) })
	return list
}

// reason returns the text of an error for a mod. It leaves out the URL, which can hold a secret.
func reason(ctx context.Context, err error) string {
	if cause := context.Cause(ctx); errors.Is(cause, errTime) {
		return cause.Error()
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	var op *net.OpError
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		return "no address found for " + name.Name
	case errors.As(err, &op):
		err = op.Err
	}
	text := strings.ToValidUTF8(err.Error(), "?")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}
