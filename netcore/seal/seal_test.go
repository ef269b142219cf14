package seal

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// entropy is a reader whose bytes follow from a seed.
func entropy(seed uint64) io.Reader {
	var key [32]byte
	key[0], key[1] = byte(seed), byte(seed>>8)
	return rand.NewChaCha8(key)
}

func identity(t testing.TB, seed uint64) KeyPair {
	id, err := NewIdentity(entropy(seed))
	require.NoError(t, err)
	return id
}

func TestKeyText(t *testing.T) {
	k := identity(t, 1).Public
	read, err := ParseKey(k.String())
	require.NoError(t, err)
	assert.Equal(t, k, read)
	assert.Len(t, k.String(), 52)
	assert.Regexp(t, `^[a-z2-7]{4}(-[a-z2-7]{4}){3}$`, k.Fingerprint())

	upper, err := ParseKey(string(bytes.ToUpper([]byte(k.String()))))
	require.NoError(t, err)
	assert.Equal(t, k, upper)

	text := k.String()
	for _, bad := range []string{"", "abc", text[:51], text + "a", text[:51] + "1", text[:51] + "b" + "x", "0" + text[1:],
		string(bytes.Repeat([]byte("a"), 51)) + "b"} {
		_, err := ParseKey(bad)
		assert.Error(t, err, "%q", bad)
	}
}

func TestIdentityText(t *testing.T) {
	id := identity(t, 2)
	text, err := id.MarshalText()
	require.NoError(t, err)
	var read KeyPair
	require.NoError(t, read.UnmarshalText(append(text, '\n')))
	assert.Equal(t, id, read)
	for _, printed := range []string{fmt.Sprint(id), fmt.Sprintf("%+v", id), fmt.Sprintf("%#v", id)} {
		assert.Equal(t, id.Public.String(), printed, "an identity prints as its public half")
	}
	for cut := range text {
		assert.Error(t, read.UnmarshalText(text[:cut]))
	}
	_, err = NewIdentity(bytes.NewReader(make([]byte, 31)))
	assert.Error(t, err)
}

// shake runs a whole handshake and returns both pairs.
func shake(t testing.TB, seed uint64) (client, server *Session) {
	us, them := identity(t, 10), identity(t, 11)
	i, err := NewInitiator(entropy(seed), us, them.Public, []byte("p"))
	require.NoError(t, err)
	r, err := NewResponder(entropy(seed+1), them, []byte("p"))
	require.NoError(t, err)
	first, err := i.Write(nil, []byte("hello"))
	require.NoError(t, err)
	require.Len(t, first, FirstOverhead+5)
	payload, peer, err := r.Read(first)
	require.NoError(t, err)
	assert.Equal(t, "hello", string(payload))
	assert.Equal(t, us.Public, peer)
	second, server, err := r.Write(nil, []byte("welcome"))
	require.NoError(t, err)
	require.Len(t, second, SecondOverhead+7)
	payload, client, err = i.Read(second)
	require.NoError(t, err)
	assert.Equal(t, "welcome", string(payload))
	return client, server
}

func TestHandshake(t *testing.T) {
	client, server := shake(t, 100)
	for n := uint64(1); n < 100; n++ {
		for kind := byte(0); kind < NumKinds; kind++ {
			up := client.Seal(nil, []byte("ad"), []byte("up"), kind, n)
			down := server.Seal(nil, []byte("ad"), []byte("down"), kind, n)
			require.Len(t, up, 2+Overhead)
			got, err := server.Open(nil, []byte("ad"), up, kind, n)
			require.NoError(t, err)
			assert.Equal(t, "up", string(got))
			got, err = client.Open(nil, []byte("ad"), down, kind, n)
			require.NoError(t, err)
			assert.Equal(t, "down", string(got))
			_, err = client.Open(nil, []byte("ad"), up, kind, n)
			assert.Error(t, err, "a packet sent back to its sender must not open")
			_, err = server.Open(nil, []byte("ad"), up, kind^1, n)
			assert.Error(t, err, "another kind is another nonce")
			_, err = server.Open(nil, []byte("ad"), up, kind, n+1)
			assert.Error(t, err, "another number is another nonce")
			_, err = server.Open(nil, []byte("da"), up, kind, n)
			assert.Error(t, err, "the clear header is authenticated")
		}
	}
}

// TestRenewedKeys: each direction gets new keys by itself. The key before stays good until it is
// forgotten, and no older one is.
func TestRenewedKeys(t *testing.T) {
	client, server := shake(t, 100)
	number := uint64(0)
	up := func() []byte {
		number++
		return client.Seal(nil, []byte("ad"), []byte("up"), 1, number)
	}
	opens := func(packet []byte, number uint64) bool {
		plain, err := server.Open(nil, []byte("ad"), packet, 1, number)
		return err == nil && string(plain) == "up"
	}
	oldest := up()
	for range 5 {
		before := up()
		require.True(t, server.ExpectNewKey())
		require.False(t, server.ExpectNewKey(), "one at a time")
		require.True(t, opens(before, number))
		require.False(t, server.Overlaps())
		client.RenewSealing()
		after := up()
		require.True(t, opens(after, number))
		require.True(t, server.Overlaps())
		require.True(t, opens(before, number-1), "the overlap")
		server.ForgetPrevious()
		require.False(t, opens(before, number-1))
		require.True(t, opens(after, number))
		down := server.Seal(nil, nil, []byte("down"), 1, number)
		_, err := client.Open(nil, nil, down, 1, number)
		require.NoError(t, err, "the other direction keeps its key")
	}
	assert.False(t, opens(oldest, 1))

	client.RenewSealing()
	assert.False(t, opens(up(), number), "not expected")
	for _, k := range []*sessionKey{&server.in, &server.out} {
		assert.NotNil(t, k.aead)
	}
	server.Erase()
	assert.Equal(t, sessionKey{}, server.in)
	assert.Equal(t, sessionKey{}, server.out)
}

// TestDamagedFirst and TestDamagedSecond: every truncation and every flipped
// bit is refused, and a forged answer does not spoil the true one.
func TestDamagedFirst(t *testing.T) {
	us, them := identity(t, 10), identity(t, 11)
	i, err := NewInitiator(entropy(1), us, them.Public, []byte("p"))
	require.NoError(t, err)
	first, err := i.Write(nil, []byte("hello"))
	require.NoError(t, err)
	refused := func(message []byte, prologue string) {
		r, err := NewResponder(entropy(2), them, []byte(prologue))
		require.NoError(t, err)
		_, _, err = r.Read(message)
		assert.Error(t, err)
	}
	for n := range first {
		refused(first[:n], "p")
	}
	for bit := range len(first) * 8 {
		refused(flipped(first, bit), "p")
	}
	refused(first, "q")
	refused(append(bytes.Clone(first), 0), "p")
}

func TestDamagedSecond(t *testing.T) {
	us, them := identity(t, 10), identity(t, 11)
	i, err := NewInitiator(entropy(1), us, them.Public, nil)
	require.NoError(t, err)
	r, err := NewResponder(entropy(2), them, nil)
	require.NoError(t, err)
	first, err := i.Write(nil, nil)
	require.NoError(t, err)
	_, _, err = r.Read(first)
	require.NoError(t, err)
	second, _, err := r.Write(nil, []byte("welcome"))
	require.NoError(t, err)

	refused := func(message []byte) {
		_, _, err := i.Read(message)
		assert.Error(t, err)
	}
	for n := range second {
		refused(second[:n])
	}
	for bit := range len(second) * 8 {
		refused(flipped(second, bit))
	}
	refused(make([]byte, len(second))) // a key of low order
	payload, _, err := i.Read(second)
	require.NoError(t, err, "the true answer still counts")
	assert.Equal(t, "welcome", string(payload))
}

func flipped(b []byte, bit int) []byte {
	b = bytes.Clone(b)
	b[bit/8] ^= 1 << (bit % 8)
	return b
}

// TestNonceNeverRepeats: under one key no (kind, number) seals twice, whatever
// the order of calls, and no two sessions share a key.
func TestNonceNeverRepeats(t *testing.T) {
	for seed := range testenv.Seeds(t, 10, 50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a, _ := pairs(seed)
		var newest [NumKinds]uint64
		for range 400 {
			kind, number := byte(rng.IntN(NumKinds)), uint64(rng.IntN(600))
			seal := func() { a.Seal(nil, nil, nil, kind, number) }
			if number <= newest[kind] {
				require.Panics(t, seal, "kind %d number %d after %d", kind, number, newest[kind])
				continue
			}
			require.NotPanics(t, seal)
			newest[kind] = number
		}
		require.Panics(t, func() { a.Seal(nil, nil, nil, NumKinds, 1) })
		a.Seal(nil, nil, nil, 1, 1<<64-1)
		require.Panics(t, func() { a.Seal(nil, nil, nil, 1, 0) }, "numbers do not wrap")
	}
	seen := map[string]bool{}
	for seed := range uint64(40) { // the same identities, new sessions: reconnecting, restarting
		client, server := shake(t, seed*2)
		for _, p := range []*Session{client, server} {
			text := string(p.Seal(nil, nil, make([]byte, 32), 1, 1))
			require.False(t, seen[text], "two sessions or directions share a key stream")
			seen[text] = true
		}
	}
}

func TestPairDoesNotAllocate(t *testing.T) {
	a, b := pairs(1)
	plain, wire, back := make([]byte, 1000), make([]byte, 0, 1200), make([]byte, 0, 1200)
	ad := []byte{1, 2}
	n := uint64(0)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		n++
		wire = a.Seal(wire[:0], ad, plain, 1, n)
		back, _ = b.Open(back[:0], ad, wire, 1, n)
	}))
	assert.Equal(t, plain, back)
}

func TestCookies(t *testing.T) {
	c, err := NewCookies(entropy(1))
	require.NoError(t, err)
	here, there := []byte("address 1"), []byte("address 2")
	nonce := Nonce{1}
	cookie := c.Make(0, here, nonce, 3)
	for _, row := range []struct {
		at         time.Duration
		address    []byte
		nonce      Nonce
		difficulty byte
		ok         bool
	}{
		{0, here, nonce, 3, true},
		{29 * time.Second, here, nonce, 3, true},
		{59 * time.Second, here, nonce, 3, true},
		{60 * time.Second, here, nonce, 3, false},
		{time.Hour, here, nonce, 3, false},
		{0, there, nonce, 3, false},
		{0, here, Nonce{2}, 3, false},
		{0, here, nonce, 2, false},
		{0, here, nonce, 0, false},
	} {
		assert.Equal(t, row.ok, c.Check(row.at, row.address, Puzzle{row.nonce, cookie, row.difficulty}), "%+v", row)
	}
	for bit := range 128 {
		assert.False(t, c.Check(0, here, Puzzle{nonce, Cookie(flipped(cookie[:], bit)), 3}))
	}
	other, err := NewCookies(entropy(2))
	require.NoError(t, err)
	assert.False(t, other.Check(0, here, Puzzle{nonce, cookie, 3}), "another process has another secret")
	assert.Zero(t, testing.AllocsPerRun(100, func() { c.Check(0, here, Puzzle{nonce, c.Make(0, here, nonce, 3), 3}) }))
	_, err = NewCookies(bytes.NewReader(nil))
	assert.Error(t, err)
}

// TestCookieIsSpentOnce: as long as a cookie is good, spending it twice fails.
func TestCookieIsSpentOnce(t *testing.T) {
	for made := time.Duration(0); made < 3*CookieEpoch; made += 7 * time.Second {
		for used := made; used < made+2*CookieEpoch; used += 7 * time.Second {
			c, err := NewCookies(entropy(1))
			require.NoError(t, err)
			cookie := c.Make(made, nil, Nonce{}, 0)
			if !c.Check(used, nil, Puzzle{Cookie: cookie}) {
				continue
			}
			require.True(t, c.Spend(used, cookie))
			for again := used; c.Check(again, nil, Puzzle{Cookie: cookie}); again += time.Second {
				require.False(t, c.Spend(again, cookie), "made %v, used %v, again %v", made, used, again)
			}
		}
	}
}

// TestPuzzle: the solutions of a puzzle are as rare as its difficulty says, and belong to it alone.
func TestPuzzle(t *testing.T) {
	p := Puzzle{Nonce{1}, Cookie{2}, 8}
	solutions := 0
	for i := range uint64(1 << 14) {
		if p.Solved(i) {
			solutions++
		}
	}
	assert.InDelta(t, 64, solutions, 32)
	first, found := p.Search(0, 1<<12)
	require.True(t, found)
	_, found = p.Search(0, int(first))
	assert.False(t, found, "it is the first one")
	next, found := p.Search(first+1, 1<<12)
	require.True(t, found)
	assert.True(t, p.Solved(next))
	others := 0
	for n := range 100 {
		other := Puzzle{Nonce{3, byte(n)}, Cookie{2}, 8}
		if other.Solved(first) {
			others++
		}
	}
	assert.Less(t, others, 10)
	p.Difficulty = 0
	assert.True(t, p.Solved(7))
}

func TestSpentIsBounded(t *testing.T) {
	c, err := NewCookies(entropy(1))
	require.NoError(t, err)
	for i := range maxSpent {
		require.True(t, c.Spend(0, Cookie{byte(i), byte(i >> 8)}))
	}
	assert.False(t, c.Spend(0, Cookie{2: 1}), "full: wait for the next epoch")
	assert.True(t, c.Spend(CookieEpoch, Cookie{2: 1}))
	assert.True(t, c.Spent(Cookie{1}))
	assert.True(t, c.Spend(3*CookieEpoch, Cookie{1}), "long forgotten")
}

func FuzzFirst(f *testing.F) {
	them, err := NewIdentity(entropy(11))
	require.NoError(f, err)
	f.Add(make([]byte, FirstOverhead))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewResponder(entropy(2), them, nil)
		require.NoError(t, err)
		_, _, err = r.Read(b)
		require.Error(t, err, "a message nobody wrote")
	})
}

func BenchmarkHandshake(b *testing.B) {
	for n := range b.N {
		shake(b, uint64(n))
	}
}

func BenchmarkSeal(b *testing.B) {
	for _, size := range []int{50, 200, 1200} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p, _ := pairs(1)
			plain, wire := make([]byte, size), make([]byte, 0, size+Overhead)
			b.SetBytes(int64(size))
			for n := range b.N {
				wire = p.Seal(wire[:0], nil, plain, 1, uint64(n)+1)
			}
		})
	}
}

// TestMarksDifferByServer checks the bytes of a mark, and that servers cannot compare theirs.
func TestMarksDifferByServer(t *testing.T) {
	a, b, player := Key{1}, Key{2}, Key{3}
	sum := sha256.Sum256(slices.Concat(a[:], player[:]))
	assert.Equal(t, Mark(sum[:8]), MarkOf(a, player))
	assert.NotEqual(t, MarkOf(a, player), MarkOf(b, player))
	assert.NotEqual(t, MarkOf(a, player), MarkOf(a, b))
}
