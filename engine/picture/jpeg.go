package picture

import "encoding/binary"

// The markers of a JPEG that count here.
const (
	jpegFrame  = 0xc0 // a baseline frame; an extended and a progressive one follow
	jpegTables = 0xc4 // Huffman tables
	jpegFrames = 0xcf // the last frame of another kind
	jpegReset  = 0xd0 // the first of eight marks between pixels
	jpegStart  = 0xd8
	jpegEnd    = 0xd9
	jpegScan   = 0xda
	jpegLines  = 0xdc // another height, behind the pixels
	jpegParts  = 0xde // frames that build upon each other: the first of two
)

// readJPEG walks the segments of a JPEG up to its end. Only frames of the kinds that all browsers
// know count: baseline, extended and progressive.
func (p *Picture) readJPEG() error {
	scanned := false
	for rest := p.Data[2:]; ; {
		for len(rest) > 1 && rest[0] == 0xff && rest[1] == 0xff {
			rest = rest[1:] // filler
		}
		switch {
		case len(rest) < 2:
			return errCut
		case rest[0] != 0xff || rest[1] == 0 || rest[1] == jpegStart:
			return errDamaged
		case rest[1] == jpegEnd && scanned:
			return nil
		case len(rest) < 4:
			return errCut
		}
		marker, n := rest[1], 2+int(binary.BigEndian.Uint16(rest[2:]))
		if n < 4 || n > len(rest) {
			return errCut
		}
		segment := rest[4:n]
		switch {
		case marker == jpegScan && p.Width == 0:
			return errDamaged
		case marker == jpegScan:
			scanned = true
			n += pixelsOf(rest[n:])
		case marker >= jpegFrame && marker <= jpegFrame+2:
			if len(segment) < 6 {
				return errCut
			}
			height, width := binary.BigEndian.Uint16(segment[1:]), binary.BigEndian.Uint16(segment[3:])
			if err := p.sized(int(width), int(height)); err != nil {
				return err
			}
		case marker > jpegFrame && marker <= jpegFrames && marker != jpegTables, marker&^1 == jpegParts:
			return errKind
		case marker == jpegLines:
			return errFrames
		}
		rest = rest[n:]
	}
}

// pixelsOf returns the length of the pixels behind the head of a scan: up to the next marker.
func pixelsOf(data []byte) int {
	for i := 0; i+1 < len(data); i++ {
		if data[i] == 0xff && data[i+1] != 0 && data[i+1] != 0xff && data[i+1]&^7 != jpegReset {
			return i
		}
	}
	return len(data)
}
