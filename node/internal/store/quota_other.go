//go:build !unix

package store

import "syscall"

// diskQuota is the error of a write beyond the quota of the user; on this system it is the error of
// a full disk.
const diskQuota = syscall.ENOSPC
