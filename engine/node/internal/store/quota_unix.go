//go:build unix

package store

import "syscall"

// diskQuota is what a write says when its owner may have no more of the disk.
const diskQuota = syscall.EDQUOT
