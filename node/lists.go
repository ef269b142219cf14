//go:build !js

package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/serverlist"
)

const (
	listTime     = 10 * time.Second
	maxLists     = 8
	maxHeader    = 8 << 10 // bytes
	maxRedirects = 3
)

var errManyLists = fmt.Errorf("there can be %d lists", maxLists)

// listURL returns the address of the file of a list: of a host, of a page, or of the file itself.
func listURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, fmt.Errorf("%s is no list: those are https://HOST[:PORT] and http://HOST[:PORT]", console.Quote(text))
	}
	u.Path = cmp.Or(strings.TrimSuffix(u.Path, "/"), serverlist.Path)
	return u, nil
}

// readLists reads lists at the same time, and merges them.
func readLists(ctx context.Context, lists []string) ([]serverlist.Entry, error) {
	if len(lists) > maxLists {
		return nil, errManyLists
	}
	type answer struct {
		servers []serverlist.Entry
		err     error
	}
	answers := make([]chan answer, len(lists))
	for i, list := range lists {
		answers[i] = make(chan answer, 1)
		go func() {
			servers, err := readList(ctx, list)
			if err != nil {
				err = fmt.Errorf("the list %s: %w", console.Clean(list), err)
			}
			answers[i] <- answer{servers, err}
		}()
	}
	var all [][]serverlist.Entry
	var failed []error
	for _, c := range answers {
		a := <-c
		all, failed = append(all, a.servers), append(failed, a.err)
	}
	return serverlist.Merge(all...), errors.Join(failed...)
}

// readList reads a list. It is a stranger's text.
func readList(ctx context.Context, list string) ([]serverlist.Entry, error) {
	at, err := listURL(list)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	// A node reads no environment variable, so it knows no proxy.
	transport := &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: sameList}
	answer, err := client.Do(r)
	if err != nil {
		return nil, errors.New(console.Clean(err.Error()))
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it has no servers.json (HTTP status %d)", answer.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, serverlist.MaxSize+1))
	if err != nil {
		return nil, errors.New("it broke off: " + console.Clean(err.Error()))
	}
	return serverlist.Parse(b, at.Hostname())
}

// sameList lets a list send a client on to HTTPS or to another path, but to no other host.
func sameList(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case len(via) > maxRedirects:
		return errors.New("it sends us on too often")
	case r.URL.Hostname() != first.Hostname() || first.Scheme == "https" && r.URL.Scheme != "https":
		return errors.New("it sends us elsewhere")
	}
	return nil
}
