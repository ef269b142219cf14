package tape

import (
	"encoding/binary"
	"errors"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/journal"
)

// maxAddresses is how many addresses the table of a journal has before it begins again.
const maxAddresses = 1 << 16

// addrSize is the size of an address, in bytes.
const addrSize = 1 + 16 + 2 + 16

// appendAddr appends an address: kind, IP address, port, and the address of this side.
func appendAddr(b []byte, a netcore.Addr) []byte {
	b = append(b, byte(a.Kind))
	b = append(b, a.IP[:]...)
	b = binary.LittleEndian.AppendUint16(b, a.Port)
	return append(b, a.Own[:]...)
}

var errAddress = errors.New("an address of the journal is damaged")

func parseAddr(b []byte) (a netcore.Addr, err error) {
	if len(b) != addrSize {
		return a, errAddress
	}
	a.Kind = netcore.AddrKind(b[0])
	copy(a.IP[:], b[1:17])
	a.Port = binary.LittleEndian.Uint16(b[17:])
	copy(a.Own[:], b[19:])
	return a, nil
}

// sumDatagram continues the checksum of sent datagrams.
func sumDatagram(sum uint32, scratch []byte, to netcore.Addr, b []byte) uint32 {
	return journal.Sum(journal.Sum(sum, appendAddr(scratch, to)), b)
}

func number(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}
