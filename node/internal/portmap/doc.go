// Package portmap lets a router at home forward a UDP port to this machine: by NAT-PMP, or else by
// UPnP. A goroutine renews the mapping before its lease ends, and removes it at the end.
package portmap
