// Package store keeps what mods store in one file of the data folder, so that it is safe against the end of the process
// and of the power.
//
//	scripts ──Commit──► queue ──► goroutine ──► file (bbolt) ──► disk
//	        ◄──Done───  outcomes ◄──┘
//
// # The promise
//
// When an outcome without an error comes back, the batch survives kill -9 and the loss of power; before that it may be
// there or not; nobody ever sees half of a batch. bbolt writes the pages of a batch beside the old ones, syncs, writes
// the one sector that makes them count, and syncs again.
//
// # The file
//
// A bucket for each mod, and ".torc" with the version of this scheme. A new file is made under another name and gets its
// own when it is whole. While a server has it, the file is locked.
//
// # A disk that fails
//
// A disk that is full refuses a batch, and the next one is tried again. After any other failure nothing is written until
// the next start: after a sync that failed the system may have dropped what it had not written, and says nothing about it
// the next time. What mods read comes from memory all the while.
//
// # Tests
//
// On Linux the tests stand between bbolt and the kernel, record what is written and synced, cut the power at random moments
// of the recording, let each request fail, and kill processes that store. The full form of all that is
//
//	TORC_KILLS=1000 go test ./engine/node/internal/store
package store
