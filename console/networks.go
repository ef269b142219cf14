package console

import (
	"fmt"
	"net/netip"
	"strings"
)

// Networks binds a variable to a list of networks and single addresses. People type it as
// "10.0.0.0/8 192.0.2.7"; commas can separate, too.
func Networks(p *[]netip.Prefix) VarValue { return (*networksValue)(p) }

type networksValue []netip.Prefix

func (v *networksValue) String() string {
	var words []string
	for _, p := range *v {
		words = append(words, p.String())
	}
	return strings.Join(words, " ")
}

func (v *networksValue) Set(text string) error {
	var list []netip.Prefix
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		p, err := parseNetwork(word)
		if err != nil {
			return err
		}
		list = append(list, p)
	}
	*v = list // a new list: others can still read the one before
	return nil
}

// parseNetwork parses a network or a single address.
func parseNetwork(word string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(word); err == nil && a.Zone() == "" {
		return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
	}
	p, err := netip.ParsePrefix(word)
	if err != nil || p.Addr().Is4In6() || p != p.Masked() {
		return p, fmt.Errorf("%s must be an address or a network, as in 10.0.0.0/8", Quote(word))
	}
	return p, nil
}
