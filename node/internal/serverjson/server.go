package serverjson

import (
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"strconv"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// Path is where a page has it.
const Path = "/server.json"

// MaxSize is the number of bytes that a client reads.
const MaxSize = 4 << 10

// A Server is where programs reach the server of a page.
type Server struct {
	Key     seal.Key
	Port    uint16     // UDP; 0: programs cannot reach it from where the page was asked
	Address netip.Addr // the zero value is the host of the page
}

// file is the form of the file.
type file struct {
	Key      string `json:"key"`
	Protocol uint32 `json:"protocol"` // for pages; programs hear it in the handshake
	Port     uint16 `json:"port"`
	Address  string `json:"address,omitempty"`
}

// JSON returns the content of the file.
func (s Server) JSON() []byte {
	f := file{Key: s.Key.String(), Protocol: netcore.ProtocolVersion, Port: s.Port}
	if s.Address.IsValid() {
		f.Address = s.Address.String()
	}
	b, _ := json.Marshal(f) // texts and a number never fail
	return append(b, '\n')
}

var (
	errMalformed = errors.New("the page has a malformed server.json")
	errOtherKey  = errors.New("the page is of a server with another key than the link (was the server set up anew? ask for its new link)")
	errNoPort    = errors.New("the server takes only browsers from here, because no UDP port of it is open to you (torc play opens none): open the link in a browser")
)

// parse reads the file.
func parse(b []byte) (s Server, err error) {
	var f file
	if len(b) > MaxSize || json.Unmarshal(b, &f) != nil {
		return Server{}, errMalformed
	}
	s.Port = f.Port
	if s.Key, err = seal.ParseKey(f.Key); err != nil {
		return Server{}, errMalformed
	}
	if f.Address == "" {
		return s, nil
	}
	if s.Address, err = netip.ParseAddr(f.Address); err != nil || !Reachable(s.Address) {
		return Server{}, errMalformed
	}
	return s, nil
}

// Reachable reports whether a page can name an address: one machine in the Internet or in a local
// network. A page must not turn a client to services of the client's own machine.
func Reachable(a netip.Addr) bool { return a.Unmap().IsGlobalUnicast() && a.Zone() == "" }

// hostPort returns where programs reach the server of a link. The file is not authentic: the key of
// the link decides in the handshake. Here it only gives a better message.
func (s Server) hostPort(l engine.Link) (string, error) {
	switch {
	case l.Key != nil && s.Key != *l.Key:
		return "", errOtherKey
	case s.Port == 0:
		return "", errNoPort
	}
	host := l.Host
	if s.Address.IsValid() {
		host = s.Address.Unmap().String()
	}
	return net.JoinHostPort(host, strconv.Itoa(int(s.Port))), nil
}
