//go:build !js

package node

import "github.com/torc-engine/torc/node/internal/web"

// CompressBrotli compresses a file of the client, at a level of 0 to 11. A file NAME.br beside NAME
// is sent as it is.
func CompressBrotli(b []byte, level int) []byte { return web.Brotli(b, level) }

// CompressGzip does the same for NAME.gz, for browsers that do not take brotli.
func CompressGzip(b []byte) []byte { return web.Gzip(b) }
