//go:build unix

package store

import "syscall"

// diskQuota is the error of a write beyond the quota of the user.
const diskQuota = syscall.EDQUOT
