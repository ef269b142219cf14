package look

// A State is a set of states that the engine knows, as bits. Objects can also have a state of their
// own, a name.
type State uint16

// The states that the engine knows.
const (
	Up       State = 1 << iota // not destroyed
	Down                       // destroyed
	Moving                     // faster than 0.5 m/s
	Still                      // not Moving
	Jets                       // the jets of a player burn
	Hurt                       // less than 35 % health, and not destroyed
	Explodes                   // a projectile explodes
	Ready                      // the image in slot 0 can fire
	Fire                       // it has fired
	Reload                     // it reloads its clip
	Prepare                    // it was just mounted
)

// States are the states by the names in looks.
var States = map[string]State{
	"up": Up, "down": Down, "moving": Moving, "still": Still, "jets": Jets, "hurt": Hurt, "explodes": Explodes,
	"ready": Ready, "fire": Fire, "reload": Reload, "prepare": Prepare,
}

// Shown reports whether an element is shown on an object in these states, and in the state with its
// own name. An own state can have the name of one that the engine knows: both show the element.
func (e *Element) Shown(s State, own string) bool {
	if e.When == "" {
		return true
	}
	return s&States[e.When] != 0 || e.When == own
}
