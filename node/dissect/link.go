package dissect

// The parts of packets that belong to the connection: headers, rate changes, control and drop
// packets.

const (
	ackBits    = 48
	minSize    = 100
	maxSize    = 1400
	newKey     = 1<<16 - 1
	newRoute   = 1<<16 - 2
	maxReason  = 255
	lowestRate = 7 // eighths of a packet per second with the code 0

	highestRate = 40_000 - lowestRate // code
)

// verdicts are the verdicts in a packet: on all numbers up to ack.
type verdicts struct {
	ack  uint64
	gaps [window / 64]uint64 // bit i: packet ack-i is lost
}

// lost reports whether packet n, at most ack, was lost.
func (v *verdicts) lost(n uint64) bool {
	i := v.ack - n
	return i < window && v.gaps[i/64]>>(i%64)&1 != 0
}

// readVerdicts reads the ack and the gaps of a data packet.
func readVerdicts(t *trace, ref uint64) (v verdicts) {
	from, n := t.pos(), 5
	if t.r.ReadFlag() {
		if n = 10; t.r.ReadFlag() {
			n = ackBits
		}
	}
	code := t.r.ReadBits(n)
	v.ack = ref + (code-ref)&(1<<n-1)
	t.add("ack", from, v.ack)
	v.readGaps(t)
	return v
}

// readControlVerdicts reads the ack and the gaps of a control packet.
func readControlVerdicts(t *trace) (v verdicts) {
	v.ack = t.bits("ack", ackBits)
	v.readGaps(t)
	return v
}

func (v *verdicts) readGaps(t *trace) {
	defer t.within("gaps")()
	more, at := t.flag("more"), uint64(0)
	for i := 0; more && t.ok(); i++ {
		leave := t.withinItem(i)
		received, lost := t.gamma("received", 1), t.gamma("lost", 0)
		switch {
		case !t.ok():
		case received > window || lost > window || received+lost > window-at:
			t.fail("lost", "the gaps in the acks exceed the window")
		default:
			at += received
			for range lost {
				v.gaps[at/64] |= 1 << (at % 64)
				at++
			}
		}
		leave()
		more = t.flag("more")
	}
}

// readRates reads the rate changes of a data packet.
func (f *flow) readRates(t *trace) {
	defer t.within("rates")()
	if !t.flag("change") {
		return
	}
	switch code := t.bits("packets", 16); {
	case code == newKey:
		t.derive("announces", "key")
	case code == newRoute:
		t.derive("announces", "route")
		readRoute(t)
	case code > highestRate:
		t.fail("packets", "the code %d is no rate", code)
	default:
		t.ranged("size", minSize, maxSize)
	}
}

// readRate reads a rate of the handshake.
func readRate(t *trace) {
	switch code := t.bits("packets", 16); {
	case code > highestRate:
		t.fail("packets", "the code %d is no rate", code)
	case code > 0 && t.ok():
		t.fields[len(t.fields)-1].Means = float64(code+lowestRate) / 8
	}
	t.ranged("size", minSize, maxSize)
}

func readRoute(t *trace) {
	defer t.within("route")()
	t.raw("connection", 64)
	t.raw("reset", 128)
}

var controlTypes = [...]string{"ping", "pong", "ack", "close", "path", "path answer", "size", "size answer"}

// readControl reads the text of a control packet.
func readControl(t *trace) {
	kind := t.bits("type", 3)
	if t.ok() {
		t.fields[len(t.fields)-1].Means = controlTypes[kind]
	}
	readControlVerdicts(t)
	t.bits("delay", 8)
	switch controlTypes[kind] {
	case "ping":
		t.bits("newest", ackBits)
	case "pong":
		t.bits("ping", lowBits)
		t.bits("waited", 8)
	case "path", "path answer":
		t.raw("challenge", 64)
	case "size", "size answer":
		t.bits("size", 11)
	}
}

// readDrop reads the text of a drop packet.
func readDrop(t *trace) {
	t.bits("code", 5)
	t.text("text", maxReason)
}
