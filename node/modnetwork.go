package node

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/sockets"
)

// modNetwork makes the HTTP requests and TCP connections of mods. Shut ends all of them.
type modNetwork interface {
	sockets.Network
	Shut()
}

// networksVar is the list of networks that mods with a permission can reach although they are not
// public.
func networksVar(s *script.Scripts) console.Var {
	get := func() string {
		var list []string
		for _, p := range s.Sockets().Allowed() {
			list = append(list, p.String())
		}
		return strings.Join(list, " ")
	}
	set := func(text string) error {
		var list []netip.Prefix
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
			p, err := parseNetwork(word)
			if err != nil {
				return err
			}
			list = append(list, p)
		}
		s.Sockets().Allow(list)
		return nil
	}
	return console.Var{
		Name: "mod.networks", Value: console.Func(get, set),
		Help: "networks that mods can reach by name although they are not public, as in \"10.0.0.0/8 127.0.0.1\"",
	}
}

// parseNetwork parses a network or a single address.
func parseNetwork(word string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(word); err == nil && a.Zone() == "" {
		return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
	}
	p, err := netip.ParsePrefix(word)
	if err != nil || p.Addr().Is4In6() || p != p.Masked() {
		return p, fmt.Errorf("%s must be an address or a network, as in 10.0.0.0/8", console.Quote(word))
	}
	return p, nil
}
