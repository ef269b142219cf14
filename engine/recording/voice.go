package recording

import "encoding/binary"

const (
	// MaxVoices is the most frames of voice in a tick. Those beyond are not recorded.
	MaxVoices = 32

	maxTalker  = 1<<16 - 1
	maxName    = 256 // bytes
	maxChannel = 3
	maxFrame   = 160 // bytes
)

// A Voice is a frame of a player's voice. Each has the name and the mark too: the compression of a
// chunk makes repeated ones small, and a playback can begin anywhere.
type Voice struct {
	Talker  uint32 // number of the player's voice at the server, below 1<<16
	Client  uint64 // id of the player at the server
	Name    string // of the player
	Mark    uint64 // of the player, little endian
	Object  uint32 // that the player controls; 0 for none, and for one that is not recorded
	Channel int    // 0…3
	Number  uint8  // of the frame; counts in 20 ms, modulo 256
	Data    []byte // the frame, 1…160 bytes
}

// Voice records a frame of voice. One beyond the limits is not recorded.
func (l *Log) Voice(v *Voice) {
	if l.voices == MaxVoices || v.Talker > maxTalker || len(v.Name) > maxName || v.Channel > maxChannel || len(v.Data) == 0 || len(v.Data) > maxFrame {
		return
	}
	l.voices++
	b := binary.AppendUvarint(append(l.entries, entryVoice), uint64(v.Talker))
	b = appendBytes(binary.AppendUvarint(b, v.Client), v.Name)
	b = binary.LittleEndian.AppendUint64(b, v.Mark)
	for _, n := range []uint64{uint64(v.Object), uint64(v.Channel), uint64(v.Number)} {
		b = binary.AppendUvarint(b, n)
	}
	l.entries = appendBytes(b, v.Data)
}

// voice reads a frame of voice. Its data belongs to the chunk.
func (s *source) voice() (v Voice) {
	v.Talker, v.Client = uint32(s.number(maxTalker)), s.number(1<<64-1)
	v.Name = string(s.bytes(int(s.number(maxName))))
	if mark := s.bytes(8); len(mark) == 8 {
		v.Mark = binary.LittleEndian.Uint64(mark)
	}
	v.Object, v.Channel = uint32(s.number(maxID)), int(s.number(maxChannel))
	v.Number, v.Data = uint8(s.number(1<<8-1)), s.bytes(int(s.number(maxFrame)))
	s.bad = s.bad || len(v.Data) == 0
	return v
}
