package netpage

import (
	"encoding/binary"
	"encoding/json"
)

// appendFrame appends a snapshot as the page reads it: the lengths of two parts in bytes, 32 bits
// each in little endian, the JSON, and the rows of the map.
func appendFrame(b []byte, s *Snapshot) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return b, err
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, uint32(4*rowWords*len(s.Rows)))
	return appendRows(append(b, text...), s.Rows), nil
}
