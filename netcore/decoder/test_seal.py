"""Tests of the seal with the vectors of RFC 8439."""

import unittest

from seal import Keys, chacha20, chacha20_block, nonce_of, poly1305, rekey, seal, unseal

KEY = bytes(range(32))
SUNSCREEN = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
    b"sunscreen would be it."
)


class Rfc8439(unittest.TestCase):
    def test_block(self):
        """Section 2.3.2."""
        block = chacha20_block(KEY, 1, bytes.fromhex("000000090000004a00000000"))
        self.assertEqual(
            block.hex(),
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
            "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
        )

    def test_encryption(self):
        """Section 2.4.2."""
        sealed = chacha20(KEY, 1, bytes.fromhex("000000000000004a00000000"), SUNSCREEN)
        self.assertEqual(sealed[:16].hex(), "6e2e359a2568f98041ba0728dd0d6981")
        self.assertEqual(sealed[-18:].hex(), "5af90bbf74a35be6b40b8eedf2785e42874d")

    def test_poly1305(self):
        """Section 2.5.2."""
        key = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
        self.assertEqual(poly1305(key, b"Cryptographic Forum Research Group").hex(), "a8061dc1305136c6c22b8baf0c0127a9")

    def test_aead(self):
        """Section 2.8.2."""
        key = bytes(range(0x80, 0xA0))
        nonce = bytes.fromhex("070000004041424344454647")
        associated = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
        sealed = seal(key, nonce, SUNSCREEN, associated)
        self.assertEqual(sealed[:16].hex(), "d31a8d34648e60db7b86afbc53ef7ec2")
        self.assertEqual(sealed[-16:].hex(), "1ae10b594f09e26a7e902ecbd0600691")
        self.assertEqual(unseal(key, nonce, sealed, associated), SUNSCREEN)

    def test_a_changed_bit_does_not_open(self):
        nonce = nonce_of(1, 7)
        sealed = seal(KEY, nonce, b"text", b"ab")
        for i in range(len(sealed)):
            changed = bytearray(sealed)
            changed[i] ^= 1
            self.assertIsNone(unseal(KEY, nonce, bytes(changed), b"ab"))
        self.assertIsNone(unseal(KEY, nonce, sealed, b"aB"))
        self.assertIsNone(unseal(KEY, nonce, sealed[:8], b"ab"))


class Renewal(unittest.TestCase):
    def test_nonce(self):
        self.assertEqual(nonce_of(2, 0x0102).hex(), "020000000201000000000000")

    def test_a_new_key_replaces_the_present_one(self):
        keys = Keys(KEY)
        second, third = rekey(KEY), rekey(rekey(KEY))
        packets = [(1, KEY), (3, second), (2, KEY), (4, second), (5, third)]
        for number, key in packets:
            sealed = seal(key, nonce_of(1, number), b"text", b"")
            self.assertEqual(keys.unseal(1, number, sealed, b""), b"text", number)
        self.assertEqual(keys.present, third)

    def test_two_keys_at_once_do_not_open(self):
        sealed = seal(rekey(rekey(KEY)), nonce_of(1, 1), b"text", b"")
        self.assertIsNone(Keys(KEY).unseal(1, 1, sealed, b""))
