// Package webclient makes the parts of the client for browsers that are not in the repository: the
// WebAssembly, and the script of the Go release that runs it.
//
// A release has them embedded (the build tag webclient). A program that was built in a source tree
// builds them there with the Go toolchain at hand, once, into the user's cache. The name of the
// cached folder is a hash of the toolchain and of all files that the build reads, as go list names
// them, so a changed file is built again.
//
// The client is built with the tag page, which leaves out what only servers run.
//
// A program with own classes builds its own client with a Builder: Builder.Files is a function for
// Web.Build while the source tree is there. Builder.Compile writes the files into a folder, which
// the program can embed for machines without it.
package webclient
