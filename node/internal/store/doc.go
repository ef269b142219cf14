// Package store keeps the stored values of mods in one file of the data folder. They survive the
// end of the process and a power failure.
//
//	scripts ──Commit──► queue ──► goroutine ──► file (bbolt) ──► disk
//	        ◄──Done───  outcomes ◄──┘
//
// # The promise
//
// After an outcome without an error, the batch survives kill -9 and a power failure. Before that,
// the batch can be there or not. A reader never sees half of a batch. bbolt writes the pages of a
// batch beside the old ones, syncs, writes the one sector that makes them valid, and syncs again.
//
// # The file
//
// The file has a bucket for each mod, and the bucket ".torc" with the version of this schema. Each
// value has a checksum. A file with a wrong checksum is not opened, and a copy with one is no
// backup. A new file is made under another name and renamed when it is complete. A running server
// locks the file.
//
// # Disk failures
//
// A full disk rejects a batch, and the next batch is tried again. After any other failure, nothing
// is written until the next start: after a failed sync, the system can have dropped unwritten data,
// and the next sync does not report that. Mods always read from memory, so reading still works.
//
// # Tests
//
// On Linux, the tests intercept the requests of bbolt to the kernel. They record writes and syncs,
// simulate power failures at random moments of the recording, make each request fail, and kill
// processes that write.
// The full form is
//
//	TORC_KILLS=1000 go test ./node/internal/store
package store
