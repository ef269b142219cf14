package console_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
)

// TestAuditOmitsSecrets checks that the audit receives every line with its error. It never receives
// a secret, also if the line begins with a space.
func TestAuditOmitsSecrets(t *testing.T) {
	c := open(t, nil)
	var lines []string
	c.SetAudit(func(line string, err error) {
		if err != nil {
			line += " failed"
		}
		lines = append(lines, line)
	})
	for _, line := range []string{"net.rate 20", "", "  \t", "sv.password hush", " sv.password hush", "\tsv.password = hush", "=fail", "net.size x"} {
		_, _ = c.Exec(line)
	}
	assert.Equal(t, []string{"net.rate 20", "sv.password …", "sv.password …", "sv.password …", "=fail failed", "net.size x failed"}, lines)
}

// TestPutBackReclaimsName checks that a detached name returns to its first owner, even if another
// variable has taken it since.
func TestPutBackReclaimsName(t *testing.T) {
	c := open(t, nil)
	before := c.Names()
	putBack := c.Detach("net.rate", "nothing", "sv.name")
	_, v := c.Lookup("net.rate")
	require.Nil(t, v)
	said := ""
	require.NoError(t, c.Bind(console.Var{Name: "NET.Rate", Value: console.String(&said)}))
	putBack()
	assert.Equal(t, before, c.Names())
	out, err := c.Exec("net.rate")
	require.NoError(t, err)
	assert.Equal(t, "31.25", out)
}

func TestJoinQuotesWhatWordsWouldSplit(t *testing.T) {
	for _, word := range []string{"plain", "", "two words", "tab\there", "line\nend", "\x1b[2J", `"`, "'", "=x", "(x", "a\u202eb"} {
		line := console.Join([]string{word, "next"})
		assert.Equal(t, console.Clean(line), line, "%q", word)
		words, err := console.Words(line)
		require.NoError(t, err)
		assert.Equal(t, []string{word, "next"}, words)
	}
}
