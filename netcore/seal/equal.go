package seal

import "crypto/subtle"

// Equal compares two secrets. For equal lengths its running time does not depend
// on where they differ.
func Equal(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
