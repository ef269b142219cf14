package voice

import (
	"errors"
	"time"

	"github.com/torc-engine/torc/netcore/bitstream"
)

const (
	// MaxFrame is the largest frame in bytes: 64 kbit/s.
	MaxFrame = 160
	// FrameTime is the length of a frame.
	FrameTime = 20 * time.Millisecond
)

// A Frame is 20 ms of a voice, encoded with Opus.
type Frame struct {
	Number uint8 // counts in 20 ms, modulo 256
	Size   uint8 // bytes, 1…MaxFrame; 0: there is no frame
	Data   [MaxFrame]byte
}

var errSize = errors.New("a frame of voice must have 1 to 160 bytes")

// NewFrame returns a frame with a copy of the data.
func NewFrame(number uint8, data []byte) (f Frame, err error) {
	if len(data) == 0 || len(data) > MaxFrame {
		return f, errSize
	}
	f.Number, f.Size = number, uint8(len(data))
	copy(f.Data[:], data)
	return f, nil
}

// Bytes returns the data of the frame. The slice belongs to f.
func (f *Frame) Bytes() []byte { return f.Data[:f.Size] }

// Serialize codes the size and the data, but not the number. A frame without bytes cannot be coded.
//
//	length-1  ranged 0..159, 8 bits
//	data      8 bits for each byte
func (f *Frame) Serialize(s *bitstream.Codec) {
	n := int(f.Size)
	s.Int(&n, 1, MaxFrame)
	if s.Err() != nil {
		return
	}
	f.Size = uint8(n)
	for at := 0; at < n; at += 8 {
		f.word(s, at, min(8, n-at))
	}
}

// word codes up to eight bytes.
func (f *Frame) word(s *bitstream.Codec, at, n int) {
	v := uint64(0)
	for i := n - 1; i >= 0; i-- {
		v = v<<8 | uint64(f.Data[at+i])
	}
	s.Bits(&v, 8*n)
	for i := range n {
		f.Data[at+i] = byte(v >> (8 * i))
	}
}

// A Spoken is what an event of voice carries: a frame, and perhaps the frame before it.
type Spoken struct {
	Channel Channel
	Range   Range // only to a server
	Frame   Frame
	Before  Frame // Size 0: it is not here
}

// Frames returns how many frames v has: 1 or 2.
func (v *Spoken) Frames() uint64 {
	if v.Before.Size > 0 {
		return 2
	}
	return 1
}

// Bytes returns the size of the frames.
func (v *Spoken) Bytes() int { return int(v.Frame.Size) + int(v.Before.Size) }

// Pair adds the next frame if it follows, so that one event carries both. It reports whether it
// did. Two frames are not larger than the largest one: a pair fits into each packet that a frame
// fits into.
func (v *Spoken) Pair(next *Spoken) bool {
	if v.Bytes()+next.Bytes() > MaxFrame {
		return false
	}
	if v.Before.Size > 0 || next.Before.Size > 0 || v.Channel != next.Channel || v.Range != next.Range || next.Frame.Number-v.Frame.Number != 1 {
		return false
	}
	v.Before, v.Frame = v.Frame, next.Frame
	return true
}

// Pairs appends frames that are sent once more to a list, two in an event where it can be.
func Pairs(list, said []Spoken) []Spoken {
	for i := range said {
		if n := len(list); n == 0 || !list[n-1].Pair(&said[i]) {
			list = append(list, said[i])
		}
	}
	return list
}

// Serialize codes the event of a client to its server.
//
//	8 number | 2 channel | 2 range | 1 before, too | frame | [frame]
func (v *Spoken) Serialize(s *bitstream.Codec) {
	v.head(s)
	r := uint32(v.Range)
	s.Uint(&r, 2)
	v.Range = Range(r)
	v.frames(s)
}

// SerializeRelayed codes the rest of the event of a server to a client, behind the talker's number.
//
//	8 number | 2 channel | 1 before, too | frame | [frame]
func (v *Spoken) SerializeRelayed(s *bitstream.Codec) {
	v.head(s)
	v.frames(s)
}

func (v *Spoken) head(s *bitstream.Codec) {
	number, channel := uint32(v.Frame.Number), uint32(v.Channel)
	s.Uint(&number, 8)
	s.Uint(&channel, 2)
	v.Frame.Number, v.Channel = uint8(number), Channel(channel)
}

func (v *Spoken) frames(s *bitstream.Codec) {
	before := v.Before.Size > 0
	s.Flag(&before)
	v.Frame.Serialize(s)
	if before {
		v.Before.Serialize(s)
	} else {
		v.Before.Size = 0
	}
	v.Before.Number = v.Frame.Number - 1
}

// Playable reports whether a frame says of itself that it is one Opus frame of 20 ms (RFC 6716,
// 3.1). The first byte has the configuration in its high five bits and the number of frames in its
// low two.
func (f *Frame) Playable() bool {
	config := f.Data[0] >> 3
	if f.Size == 0 || f.Data[0]&3 != 0 {
		return false
	}
	switch {
	case config < 12: // SILK: 10, 20, 40, 60 ms
		return config%4 == 1
	case config < 16: // hybrid: 10, 20 ms
		return config%2 == 1
	}
	return config%4 == 3 // CELT: 2.5, 5, 10, 20 ms
}
