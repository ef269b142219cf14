"""Descriptions of datablocks, and the values of their fields."""

from bits import BitReader, Refused, unfold, width_of
from classes import ROTATION_PARTS, VECTOR_PARTS
from fields import Fields

INDEX_BITS, CLASS_BITS = 14, 10
MOST_KEY = 1 << 48
NAME_BYTES = 64


def read_number(fields, name, field):
    """The code of a number."""
    if field.whole:
        read_code(fields, name, int(field.hi) - int(field.lo))
    elif field.bits:
        fields.bits(name, field.bits)
    elif field.step:
        lowest, highest = field.steps()
        read_code(fields, name, highest - lowest)
    else:
        fields.bits(name, 64)


def read_code(fields, name, most):
    """A code of 0 to most, in as many bits as most needs."""
    if fields.bits(name, width_of(most)) > most:
        raise Refused("%s is above %d" % (name, most))


def read_value(fields, name, field):
    """A value as in a datablock."""
    if field.kind == "number":
        read_number(fields, name, field)
    elif field.kind == "bool":
        fields.flag(name)
    elif field.kind == "vector":
        for part in VECTOR_PARTS:
            read_number(fields, name + part, field)
    elif field.kind == "rotation":
        for part in ROTATION_PARTS:
            fields.bits(name + part, field.bits or 64)
    elif field.kind == "string":
        fields.text(name, field.max)
    elif fields.flag(name + ".some"):
        fields.bits(name, INDEX_BITS)


class Datablocks:
    """The class of the datablock at each index."""

    def __init__(self, classes):
        self.classes = classes
        self.at = {}

    def read(self, data):
        """The fields of the description of a datablock, which replaces the one at its index."""
        fields = Fields(BitReader(data))
        block_class = self.classes.by_id(fields.bits("datablock.class", CLASS_BITS))
        if block_class is None:
            raise Refused("a datablock of an unknown class")
        index = fields.bits("datablock.index", INDEX_BITS)
        key = fields.var("datablock.key")
        if key > MOST_KEY:
            raise Refused("a key of %d" % key)
        base = self.read_base(fields, key, block_class)
        fields.text("datablock.name", NAME_BYTES)
        self.read_parent(fields)
        for field in block_class.fields:
            name = "datablock." + field.name
            if field.name not in base or not fields.flag(name + ".same"):
                read_value(fields, name, field)
        self.at[index] = block_class
        return fields.list

    def read_base(self, fields, key, block_class):
        """The names of the base's fields."""
        base = block_class
        if fields.flag("datablock.based"):
            base = self.at.get(fields.bits("datablock.base", INDEX_BITS))
            begin = fields.reader.pos
            difference = unfold(fields.reader.var())
            fields.add("datablock.baseKey", begin, (key + difference) % (1 << 64))
            if base is None:
                raise Refused("a base that is not there")
        return {field.name for field in base.fields}

    def read_parent(self, fields):
        if fields.flag("datablock.inherits") and not fields.flag("datablock.parentIsBase"):
            fields.text("datablock.parent", NAME_BYTES)
