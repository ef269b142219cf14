// Package modpack packs a mod into one file and installs such files.
//
//	Pack(w, dir, name)                 writes the archive of a mod
//	Install(ctx, mods, source, …)      fetches, checks, unpacks and renames; writes the lock file
//	Restore(ctx, mods, …)              installs what the lock file names and the folder lacks
//	List(mods)                         the mods of a folder, with their origin
//
// An archive is a tar file under gzip, with one folder, the mod's name. Equal files give equal
// archives: files are sorted, and times and owners are left out. A source is a file or an https
// address; an address needs the SHA-256 of the archive after "#sha256=".
//
// An archive is not trusted. Its names, its links, its size and the number of its files are checked
// before anything of it reaches the folder of mods, and its manifest has the usual limits. Nothing
// in it runs, and installing grants no permission.
//
// # Where to read
//
//	tree.go   what may be in an archive     pack.go    writes archives
//	fetch.go  opens a source                unpack.go  reads archives
//	lock.go   mods.lock                     install.go the steps of an installation
package modpack
