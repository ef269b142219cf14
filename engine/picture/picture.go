package picture

import (
	"errors"
	"fmt"
	"hash/fnv"
)

// The limits of pictures.
const (
	MaxBytes = 16 << 10 // of a file
	MaxSide  = 512      // pixels of the width and of the height
	MaxAll   = 1 << 20  // bytes of all pictures of a mod, and of all that a client has
	MaxCount = 256      // pictures of a mod, and of a client

	HashBytes = 16
)

// Type is the type of a file.
type Type uint8

// The types of files.
const (
	PNG Type = iota
	JPEG
	WebP
)

// String returns the media type.
func (t Type) String() string { return [...]string{"image/png", "image/jpeg", "image/webp"}[t] }

// Hash is the FNV-1a of a file, of 128 bits. The connection already protects the bytes from
// strangers: it tells files apart, and finds mistakes in the order of the pieces.
type Hash [HashBytes]byte

// HashOf returns the hash of a file.
func HashOf(data []byte) (h Hash) {
	f := fnv.New128a()
	_, _ = f.Write(data)
	f.Sum(h[:0])
	return h
}

// A Picture is a checked file. Nobody changes it.
type Picture struct {
	Type          Type
	Width, Height int // pixels, 1…MaxSide
	Data          []byte
	Hash          Hash
}

var (
	errType     = errors.New("it must be a PNG, JPEG or WebP")
	errCut      = errors.New("the file is cut off")
	errDamaged  = errors.New("the file is damaged")
	errAnimated = errors.New("it is animated: a picture has one frame")
	errFrames   = errors.New("it has more than one size")
	errKind     = errors.New("it is a JPEG of a kind that browsers do not show: must be baseline or progressive")
)

// Read checks a file by its content, whatever its name is: the type, the size in pixels, and that
// it has one frame. It decodes nothing. The caller must not change data afterwards. The error says
// what is wrong with the file.
func Read(data []byte) (*Picture, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("it has %d bytes: must be at most %d", len(data), MaxBytes)
	}
	p := &Picture{Data: data, Hash: HashOf(data)}
	var err error
	switch {
	case starts(data, pngMark):
		p.Type, err = PNG, p.readPNG()
	case starts(data, "\xff\xd8\xff"):
		p.Type, err = JPEG, p.readJPEG()
	case starts(data, "RIFF") && len(data) >= 12 && string(data[8:12]) == "WEBP":
		p.Type, err = WebP, p.readWebP()
	default:
		err = errType
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func starts(data []byte, mark string) bool {
	return len(data) >= len(mark) && string(data[:len(mark)]) == mark
}

// sized notes the size of a frame. A second frame is an error.
func (p *Picture) sized(width, height int) error {
	switch {
	case p.Width > 0:
		return errFrames
	case width < 1 || width > MaxSide || height < 1 || height > MaxSide:
		return fmt.Errorf("it has %d × %d pixels: must be 1 × 1 to %d × %d", width, height, MaxSide, MaxSide)
	}
	p.Width, p.Height = width, height
	return nil
}
