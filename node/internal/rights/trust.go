package rights

import (
	"errors"
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/names"
)

// Trust says which roles in a fleet count on this server. Everybody who has the credentials of the
// fleet can write roles into it. The zero Trust is none.
type Trust struct{ roles []string }

// noTrust stands for none, and is no name of a role then.
const noTrust = "none"

// ParseTrust reads none, or names of roles with spaces between them. With admin, all roles count.
func ParseTrust(text string) (t Trust, err error) {
	t.roles = strings.Fields(text)
	if len(t.roles) == 0 || len(t.roles) == 1 && t.roles[0] == noTrust {
		return Trust{}, nil
	}
	for _, r := range t.roles {
		if !names.Short(r) || r == noTrust {
			return Trust{}, errors.New("must be none, or names of roles with spaces between them (1 to 32 of a–z, 0–9 and _ each)")
		}
	}
	return t, nil
}

// String returns what ParseTrust reads.
func (t Trust) String() string {
	if !t.Any() {
		return noTrust
	}
	return strings.Join(t.roles, " ")
}

// Any reports whether the fleet is trusted at all.
func (t Trust) Any() bool { return len(t.roles) > 0 }

// Has reports whether a role counts.
func (t Trust) Has(role string) bool {
	return slices.Contains(t.roles, role) || slices.Contains(t.roles, Admin)
}
