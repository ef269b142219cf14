package netpage

import (
	"context"
	"net/netip"
	"slices"
	"sync"
)

// openPages are the open pages, the oldest first. If all places are taken, the oldest page of the
// address with the most makes room, for an address with fewer.
type openPages struct {
	mu  sync.Mutex
	all []*openPage
}

// openPage is a page of an address.
type openPage struct {
	from netip.Prefix
	end  context.CancelFunc
}

// enter opens a page. ctx ends when it must make room. leave must be called, also without a place.
func (o *openPages) enter(parent context.Context, from netip.Prefix) (ctx context.Context, leave func(), ok bool) {
	ctx, cancel := context.WithCancel(parent)
	p := &openPage{from, cancel}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.all) == maxPages {
		old := o.crowded(from)
		if old == nil {
			return ctx, cancel, false
		}
		old.end()
		o.remove(old)
	}
	o.all = append(o.all, p)
	return ctx, func() {
		cancel()
		o.mu.Lock()
		defer o.mu.Unlock()
		o.remove(p)
	}, true
}

// crowded returns the page that makes room for one of an address, or nil.
func (o *openPages) crowded(by netip.Prefix) (found *openPage) {
	counts := map[netip.Prefix]int{by: 1}
	for _, p := range o.all {
		counts[p.from]++
	}
	most := counts[by]
	for _, p := range o.all {
		if counts[p.from] > most {
			found, most = p, counts[p.from]
		}
	}
	return found
}

func (o *openPages) remove(p *openPage) {
	o.all = slices.DeleteFunc(o.all, func(other *openPage) bool { return other == p })
}

// count returns the number of open pages.
func (o *openPages) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.all)
}
