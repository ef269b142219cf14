package picture

import (
	"encoding/binary"
	"hash/crc32"
)

const (
	pngMark     = "\x89PNG\r\n\x1a\n"
	pngOverhead = 12 // bytes of a chunk besides its content: length, name, checksum
)

// readPNG walks the chunks of a PNG: the header first, then pixels, then the end. A chunk acTL
// makes it an animation.
func (p *Picture) readPNG() error {
	pixels := false
	for rest := p.Data[len(pngMark):]; ; {
		if len(rest) < pngOverhead {
			return errCut
		}
		n, name := binary.BigEndian.Uint32(rest), string(rest[4:8])
		if uint64(n) > uint64(len(rest)-pngOverhead) {
			return errCut
		}
		end := 8 + int(n)
		chunk := rest[8:end]
		if (name == "IHDR") != (p.Width == 0) {
			return errDamaged // a second header, or none in front
		}
		switch name {
		case "IHDR":
			if n != 13 || crc32.ChecksumIEEE(rest[4:end]) != binary.BigEndian.Uint32(rest[end:]) {
				return errDamaged
			}
			width, height := binary.BigEndian.Uint32(chunk), binary.BigEndian.Uint32(chunk[4:])
			if err := p.sized(side(width), side(height)); err != nil {
				return err
			}
		case "acTL", "fcTL", "fdAT":
			return errAnimated
		case "IDAT":
			pixels = true
		case "IEND":
			if !pixels {
				return errCut
			}
			return nil
		}
		rest = rest[end+4:]
	}
}

// side returns a number of pixels that an int of any size holds.
func side(n uint32) int { return int(min(n, 1<<30)) }
