package meeting

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// TestHintNamesWhatToCheck: only a connect without any answer gets advice, with the port that the
// player has named, or the default one.
func TestHintNamesWhatToCheck(t *testing.T) {
	silent := netcore.Reason{Code: netcore.ConnectTimeout}
	for address, port := range map[string]string{"play.example.org:28001#key": "28001", "play.example.org": "28000", "[2001:db8::1]:5": "5"} {
		assert.Equal(t, " (is the address right, is the server running, and do its firewall and its router let UDP port "+port+" in?)", Hint(address, false, silent))
	}
	assert.Equal(t, " (its page answers, so a firewall or a router drops UDP port 28001: open the link in a browser meanwhile)", Hint("play.example.org:28001", true, silent))
	assert.Contains(t, Hint("via:rendezvous.example.org#key", false, silent), ". The rendezvous has told the server, ")
	assert.Empty(t, Hint("play.example.org", true, netcore.Reason{Code: netcore.Refused, Text: "full"}))
	assert.Empty(t, Hint("play.example.org", true, netcore.Reason{Code: netcore.ConnectTimeout, Text: "the name was not resolved in time"}))
}
