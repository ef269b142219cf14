package picture

import "encoding/binary"

const webpAnimated = 1 << 1 // the flag of an animation in VP8X

// readWebP walks the chunks of a WebP: VP8 or VP8L alone, or VP8X with the size of its canvas and
// then one of them.
func (p *Picture) readWebP() error {
	size := binary.LittleEndian.Uint32(p.Data[4:])
	switch {
	case uint64(size)+8 > uint64(len(p.Data)):
		return errCut
	case size < 4:
		return errDamaged
	}
	w := webp{picture: p}
	for rest := p.Data[12 : 8+size]; len(rest) > 0; {
		if len(rest) < 8 {
			return errCut
		}
		n := binary.LittleEndian.Uint32(rest[4:])
		if uint64(n) > uint64(len(rest)-8) {
			return errCut
		}
		end := 8 + int(n)
		if err := w.chunk(string(rest[:4]), rest[8:end]); err != nil {
			return err
		}
		rest = rest[min(end+int(n&1), len(rest)):]
	}
	if p.Width == 0 {
		return errCut
	}
	return nil
}

// webp is what the chunks of a WebP have said so far.
type webp struct {
	picture       *Picture
	some          bool // there was a chunk
	width, height int  // of the canvas; 0: there is none
}

func (w *webp) chunk(name string, data []byte) error {
	first := !w.some
	w.some = true
	switch name {
	case "VP8X":
		if len(data) < 10 || !first {
			return errDamaged
		}
		if data[0]&webpAnimated != 0 {
			return errAnimated
		}
		w.width, w.height = 1+uint24(data[4:]), 1+uint24(data[7:])
	case "ANIM", "ANMF":
		return errAnimated
	case "VP8 ":
		if len(data) < 10 || data[0]&1 != 0 || string(data[3:6]) != "\x9d\x01\x2a" {
			return errDamaged
		}
		return w.sized(int(binary.LittleEndian.Uint16(data[6:])&0x3fff), int(binary.LittleEndian.Uint16(data[8:])&0x3fff))
	case "VP8L":
		if len(data) < 5 || data[0] != 0x2f {
			return errDamaged
		}
		bits := binary.LittleEndian.Uint32(data[1:])
		if bits>>29 != 0 {
			return errDamaged // a later version
		}
		return w.sized(1+int(bits&0x3fff), 1+int(bits>>14&0x3fff))
	}
	return nil
}

// sized notes the size of the frame. That of the canvas must be the same.
func (w *webp) sized(width, height int) error {
	if w.width > 0 && (w.width != width || w.height != height) {
		return errFrames
	}
	return w.picture.sized(width, height)
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
