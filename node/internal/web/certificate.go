package web

import (
	"crypto/tls"
	"os"
	"sync"
	"time"
)

// certificate is a pair of files. It is read again when the file of the certificate has changed.
type certificate struct {
	cert, key string

	mu      sync.Mutex
	changed time.Time
	pair    *tls.Certificate
}

// get returns the certificate. While the files are invalid it returns the one before.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.cert)
	if err == nil && (c.pair == nil || !info.ModTime().Equal(c.changed)) {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(c.cert, c.key); err == nil {
			c.pair, c.changed = &pair, info.ModTime()
		}
	}
	if c.pair != nil {
		return c.pair, nil
	}
	return nil, err
}
