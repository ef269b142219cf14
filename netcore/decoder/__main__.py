"""A decoder of torc's wire format that follows PROTOCOL.md alone.

python3 netcore/decoder CAPTURE          prints one JSON object per packet
python3 netcore/decoder CAPTURE JSON     compares them with the output of torc dissect --json
"""

import json
import sys

from capture import Damage
from compare import compare
from packets import decode_capture


def show(capture):
    for members in decode_capture(capture):
        print(json.dumps(members, ensure_ascii=False))
    return 0


def check(capture, path):
    packets, fields, difference = compare(decode_capture(capture), path)
    print(difference or "%d packets and %d fields agree" % (packets, fields))
    return 1 if difference else 0


def main(arguments):
    actions = {1: show, 2: check}
    if len(arguments) not in actions:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        return actions[len(arguments)](*arguments)
    except (Damage, OSError) as reason:
        print(reason, file=sys.stderr)
        return 1


sys.exit(main(sys.argv[1:]))
