// Package notify tells those who run a server about it: that it is ready, reloads, restarts or
// ends, how many players it has, and that its loop still runs. systemd hears of it by sd_notify,
// and Agones by the REST interface of its SDK. Without them it does nothing.
//
// # Where to read
//
//	notify.go       systemd
//	agones.go       Agones: the calls
//	address.go      where players reach a server of Agones
//	allocation.go   what Agones says when somebody has allocated the server
package notify
