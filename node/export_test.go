package node

// QueuedLines is how many lines of a capture can wait.
const QueuedLines = queuedLines

// FillCapture gives the capture of a client n datagrams.
func FillCapture(c *Client, n int) {
	for range n {
		c.traffic.Sent([]byte{0xc4})
	}
}
