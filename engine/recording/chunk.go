package recording

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// MaxChunk is the largest size of the contents of a chunk in bytes.
const MaxChunk = 16 << 20

// A Chunk is the record of some ticks, or of the whole state after one tick.
type Chunk struct {
	State       bool
	First, Last uint64 // the ticks; equal for a state
	Body        []byte // the entries, compressed
	size        int    // of the entries
}

// The kinds of chunks.
const (
	kindTicks = 1
	kindState = 2
)

// maxHead is the largest size of a chunk's head: kind, four numbers, checksum.
const maxHead = 1 + 4*binary.MaxVarintLen64 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errDamaged = errors.New("the recording is damaged")
	errTooLong = fmt.Errorf("a part of the recording has more than %d MiB", MaxChunk>>20)
)

// memory returns about how many bytes a chunk takes.
func (c *Chunk) memory() int { return len(c.Body) + 64 }

// Bytes returns the encoded chunk.
func (c *Chunk) Bytes() []byte {
	b := make([]byte, 0, maxHead+len(c.Body))
	kind := byte(kindTicks)
	if c.State {
		kind = kindState
	}
	b = append(b, kind)
	for _, n := range []uint64{c.First, c.Last - c.First, uint64(c.size), uint64(len(c.Body))} {
		b = binary.AppendUvarint(b, n)
	}
	sum := crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, c.Body)
	b = binary.LittleEndian.AppendUint32(b, sum)
	return append(b, c.Body...)
}

// parseHead reads the head of a chunk from the beginning of b. n is the length of the head, 0 if b
// ends before it, and body the length of what follows. The checksum is not checked.
func parseHead(b []byte) (c Chunk, n, body int, err error) {
	if len(b) == 0 {
		return c, 0, 0, nil
	}
	if b[0] != kindTicks && b[0] != kindState {
		return c, 0, 0, errDamaged
	}
	var numbers [4]uint64
	at := 1
	for i := range numbers {
		v, k := binary.Uvarint(b[at:])
		switch {
		case k < 0:
			return c, 0, 0, errDamaged
		case k == 0:
			return c, 0, 0, nil
		}
		numbers[i], at = v, at+k
	}
	if numbers[2] == 0 || numbers[3] == 0 {
		return c, 0, 0, errDamaged
	}
	if numbers[0] > 1<<62 || numbers[1] > 1<<32 || numbers[2] > MaxChunk || numbers[3] > MaxChunk {
		return c, 0, 0, errTooLong
	}
	if len(b) < at+4 {
		return c, 0, 0, nil
	}
	c = Chunk{State: b[0] == kindState, First: numbers[0], Last: numbers[0] + numbers[1], size: int(numbers[2])}
	return c, at + 4, int(numbers[3]), nil
}

// parseChunk reads a chunk from the beginning of b. n is its length in bytes, 0 if b ends before
// it.
func parseChunk(b []byte) (c Chunk, n int, err error) {
	c, head, body, err := parseHead(b)
	if err != nil || head == 0 || len(b) < head+body {
		return Chunk{}, 0, err
	}
	c.Body = b[head : head+body]
	sum := crc32.Update(crc32.Checksum(b[:head-4], castagnoli), castagnoli, c.Body)
	if sum != binary.LittleEndian.Uint32(b[head-4:]) {
		return Chunk{}, 0, errDamaged
	}
	return c, head + body, nil
}

// A packer compresses the entries of chunks.
type packer struct {
	out    bytes.Buffer
	writer *flate.Writer
}

// pack returns the entries of a chunk in compressed form.
func (p *packer) pack(entries []byte) []byte {
	p.out.Reset()
	if p.writer == nil {
		p.writer, _ = flate.NewWriter(&p.out, flate.BestSpeed) // the level is valid
	} else {
		p.writer.Reset(&p.out)
	}
	_, _ = p.writer.Write(entries) // a buffer takes everything
	_ = p.writer.Close()
	return bytes.Clone(p.out.Bytes())
}

// An unpacker reads the entries of chunks.
type unpacker struct {
	in      bytes.Reader
	reader  io.ReadCloser
	entries bytes.Buffer
}

// unpack returns the entries of a chunk. They are valid until the next call. Memory grows with the
// entries, not with the size that the chunk declares.
func (u *unpacker) unpack(c *Chunk) ([]byte, error) {
	u.in.Reset(c.Body)
	if u.reader == nil {
		u.reader = flate.NewReader(&u.in)
	} else if err := u.reader.(flate.Resetter).Reset(&u.in, nil); err != nil {
		return nil, errDamaged
	}
	u.entries.Reset()
	n, err := io.Copy(&u.entries, io.LimitReader(u.reader, int64(c.size)+1))
	if err != nil || n != int64(c.size) {
		return nil, errDamaged
	}
	return u.entries.Bytes(), nil
}
