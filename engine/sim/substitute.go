package sim

// Substitute appends the text of a tag to b. %1…%9 stand for arguments, which argument prints: ""
// if there is none. %% stands for one %, in pairs from the left, and every other % stays. It stops
// soon after b has more than limit bytes, so that a tag with many references to long texts stays
// cheap.
func Substitute(b []byte, tag string, limit int, argument func(n int) string) []byte {
	for at := 0; at < len(tag) && len(b) <= limit; at++ {
		next := byte(0)
		if tag[at] == '%' && at+1 < len(tag) {
			next = tag[at+1]
		}
		switch {
		case next == '%':
			b = append(b, '%')
			at++
		case next >= '1' && next <= '9':
			b = append(b, argument(int(next-'0'))...)
			at++
		default:
			b = append(b, tag[at])
		}
	}
	return b
}
