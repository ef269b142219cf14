package seal

import "crypto/subtle"

// Equal compares two secrets in a time that says nothing about where they
// differ.
func Equal(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
