package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
)

// TestLanguageTravelsWithTheJoin: the server knows the language of a player from the connect
// request on. The tag at the server is clean for any text of a peer. Bots and clients that say
// nothing speak English.
func TestLanguageTravelsWithTheJoin(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		for given, want := range map[string]string{"pt_BR.UTF-8": "pt-BR", "": "en", "\x1b[31m\xff": "en", strings.Repeat("x", 16): "en"} {
			o.Both = func(c *engine.Config) { c.Language = given }
			r := enginetest.New(t, o)
			bot, err := r.Server.AddBot("b")
			require.NoError(t, err)
			r.Join()
			list := r.Server.Connections()
			require.Len(t, list, 2)
			assert.Equal(t, []string{"en", want}, []string{bot.Language(), list[1].Language()}, "%q", given)
		}
	})
}

func TestCleanLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"de": "de", "DE": "de", "pt-br": "pt-BR", "pt_BR.UTF-8": "pt-BR", "de_DE@euro": "de-DE", "es-419": "es-419",
		"zh-hant-tw": "zh-Hant-TW", "zh_Hans": "zh-Hans", "en-US-posix": "en-US", "de-1996": "de", "fil": "fil",
		"": "en", "C": "en", "C.UTF-8": "en", "POSIX": "en", "x-klingon": "en", "d3": "en", "dé": "en", "-": "en", ".": "en",
		"\xff\xff": "en", "de-\u2066x": "de", "de\n": "en", strings.Repeat("de-", 1000): "de-DE",
	} {
		got := engine.CleanLanguage(tag)
		assert.Equal(t, want, got, "%.20q", tag)
		assert.LessOrEqual(t, len(got), 11)
		assert.Equal(t, got, engine.CleanLanguage(got), "clean again")
	}
}
