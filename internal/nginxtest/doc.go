// Package nginxtest runs nginx with the configuration of docs/fleet.md, for tests on Linux.
//
// # Where to read
//
//	nginx_linux.go   the configuration, the program, and browsers without a page
package nginxtest
