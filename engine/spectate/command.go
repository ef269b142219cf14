package spectate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// Commands in recordings. A value has its kind of the wire in a byte, then:
//
//	nil, false, true     nothing
//	number               8 bytes
//	string, tag          length, text
//	vector, rotation     3 × 8 bytes
//	object               its id in the recording
//	datablock            its index
//	client               its id at the server, length, name

// argKind is the kind of a value, as in a remote command.
type argKind uint8

const (
	argNil    argKind = 0
	argFalse  argKind = 1
	argTrue   argKind = 2
	argNumber argKind = 4
	argString argKind = 5
	argTag    argKind = 6
	argVec    argKind = 7
	argRot    argKind = 8
	argObject argKind = 9
	argBlock  argKind = 10
	argClient argKind = 13
)

// Limits of a command, sent to a spectator or to any other peer.
const (
	MaxArgs    = 20       // arguments
	MaxTag     = 1 << 10  // bytes of the name, and of a tag
	MaxString  = 32 << 10 // bytes of a string
	MaxCommand = 64 << 10 // bytes of all
)

const maxValue = 32 // bytes of a value besides its text

var errCommand = errors.New("bad command")

// checkCommand returns an error for a command that breaks a limit.
func checkCommand(name sim.Value, args []sim.Value) error {
	switch {
	case name.Kind() != sim.KindTag && name.Kind() != sim.KindString, name.Text() == "", len(name.Text()) > MaxTag:
		return errors.New("the command's name must be a tag or a string of 1 to 1024 bytes")
	case len(args) > MaxArgs:
		return errors.New("a command takes at most 20 arguments")
	}
	size := len(name.Text())
	for i, v := range args {
		most := MaxString
		if v.Kind() == sim.KindTag && !v.Expanded() || v.Kind() == sim.KindClient {
			most = MaxTag
		}
		if len(v.Text()) > most {
			return fmt.Errorf("command argument %d has %d bytes: must be at most %d", i+1, len(v.Text()), most)
		}
		size += len(v.Text()) + maxValue
	}
	if size > MaxCommand {
		return errors.New("a command can have at most 64 KiB")
	}
	return nil
}

// pack encodes a command.
func (r *Recorder) pack(name sim.Value, args []sim.Value) []byte {
	b := appendText(nil, name.Text())
	for _, v := range args {
		b = r.appendValue(b, v)
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func appendFloats(b []byte, fs ...float64) []byte {
	for _, f := range fs {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}

// appendValue encodes an argument.
func (r *Recorder) appendValue(b []byte, v sim.Value) []byte {
	switch v.Kind() {
	case sim.KindBool:
		if v.Bool() {
			return append(b, byte(argTrue))
		}
		return append(b, byte(argFalse))
	case sim.KindNumber:
		return appendFloats(append(b, byte(argNumber)), v.Number())
	case sim.KindString:
		return appendText(append(b, byte(argString)), v.Text())
	case sim.KindTag:
		kind := argTag
		if v.Expanded() {
			kind = argString
		}
		return appendText(append(b, byte(kind)), v.Text())
	case sim.KindVec:
		return appendFloats(append(b, byte(argVec)), v.Vec().X, v.Vec().Y, v.Vec().Z)
	case sim.KindRot:
		return appendFloats(append(b, byte(argRot)), v.Rot().Yaw, v.Rot().Pitch, v.Rot().Roll)
	case sim.KindObject:
		o := r.world.Find(v.Object())
		if block, ok := o.(sim.Datablock); ok {
			return binary.AppendUvarint(append(b, byte(argBlock)), uint64(block.Data().Index()))
		}
		if o != nil {
			id := r.idOf(uint64(r.source.NumberOf(o)))
			return binary.AppendUvarint(append(b, byte(argObject)), uint64(id))
		}
	case sim.KindClient:
		id, name := v.Client()
		return appendText(binary.AppendUvarint(append(b, byte(argClient)), uint64(id)), name)
	}
	return append(b, byte(argNil))
}

// unpack decodes a command.
func (p *Playback) unpack(b []byte) (name string, args []sim.Value, err error) {
	r := commandReader{b: b}
	if name = r.text(MaxTag); name == "" {
		return "", nil, errCommand
	}
	for len(r.b) > 0 && !r.bad && len(args) < MaxArgs {
		args = append(args, p.readValue(&r))
	}
	if r.bad || len(r.b) > 0 {
		return "", nil, errCommand
	}
	return name, args, nil
}

func (p *Playback) readValue(r *commandReader) sim.Value {
	kind := argKind(r.b[0])
	r.b = r.b[1:]
	switch kind {
	case argFalse, argTrue:
		return sim.Bool(kind == argTrue)
	case argNumber:
		return sim.Number(r.float())
	case argString:
		return sim.String(r.text(MaxString))
	case argTag:
		return sim.Tag(r.text(MaxTag))
	case argVec:
		return sim.Vec(sim.Vec3{X: r.float(), Y: r.float(), Z: r.float()})
	case argRot:
		return sim.Rotation(sim.Rot{Yaw: r.float(), Pitch: r.float(), Roll: r.float()})
	case argObject:
		return sim.Handle(p.idOf(r.number()))
	case argBlock:
		if block := p.world.Blocks.ByIndex(int(min(r.number(), sim.MaxBlocks))); block != nil {
			return sim.Handle(block.Ident().ID())
		}
	case argClient:
		id := min(r.number(), math.MaxUint32)
		return sim.Client(sim.ID(id), r.text(MaxTag))
	case argNil:
	default:
		r.bad = true
	}
	return sim.Nil()
}

// A commandReader reads a command of a recording. After an error, all values are zero.
type commandReader struct {
	b   []byte
	bad bool
}

func (r *commandReader) number() uint64 {
	v, n := binary.Uvarint(r.b)
	if r.bad || n <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *commandReader) float() float64 {
	if r.bad || len(r.b) < 8 {
		r.bad = true
		return 0
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(r.b))
	r.b = r.b[8:]
	return f
}

func (r *commandReader) text(most int) string {
	n := r.number()
	if r.bad || n > uint64(min(most, len(r.b))) {
		r.bad = true
		return ""
	}
	text := string(r.b[:n])
	r.b = r.b[n:]
	return text
}
