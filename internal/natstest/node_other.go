//go:build !linux

package natstest

import "syscall"

func withParent() *syscall.SysProcAttr { return nil }
