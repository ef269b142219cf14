"""Descriptions of the classes that the server's mods declare."""

from bits import BitReader, Refused, float64_of
from classes import Field
from datablocks import CLASS_BITS, NAME_BYTES, read_value
from fields import Fields

KINDS = ("nil", "bool", "number", "string", "tag", "vector", "rotation", "object")


def read_name(fields, name):
    return fields.text(name, NAME_BYTES).decode("utf-8", "surrogateescape")


def read_float64(fields, name):
    return float64_of(fields.bits(name, 64))


def read_precision(fields, name, shape):
    shape["bits"] = fields.bits(name + "bits", 6)
    if not shape["bits"] and fields.flag(name + "hasStep"):
        shape["step"] = read_float64(fields, name + "step")


def check_range(lo, hi, step=1, **rest):
    """Refuses what no field of numbers has: a range or a step whose codes have no width."""
    if not (lo <= hi and step > 0 and max(hi - lo, 1) / step < 1 << 63):
        raise Refused("a range of %g to %g in steps of %g" % (lo, hi, step))


def read_shape(fields, name, kind):
    """What the kind of a field needs, as members of the capture's form."""
    shape = {}
    if kind == "number":
        shape["whole"] = fields.flag(name + "whole")
    if kind in ("number", "vector"):
        shape["lo"] = read_float64(fields, name + "lo")
        shape["hi"] = read_float64(fields, name + "hi")
        if not shape.get("whole"):
            read_precision(fields, name, shape)
        check_range(**shape)
    elif kind == "rotation":
        shape["bits"] = fields.bits(name + "bits", 6)
    elif kind == "string":
        shape["max"] = fields.bits(name + "max", 11)
    elif kind == "object":
        shape["class"] = read_name(fields, name + "class")
    return shape


def read_field(fields, name, last_group):
    """A field of a class description; last_group is the group of the field before."""
    label = read_name(fields, name + "name")
    group = last_group if fields.flag(name + "joins") else last_group + 1
    kind = KINDS[fields.bits(name + "kind", 3)]
    if kind in ("nil", "tag"):
        raise Refused("a field of kind %s" % kind)
    field = Field(label, kind, group, **read_shape(fields, name, kind))
    if kind != "object" and fields.flag(name + "hasDefault"):
        read_value(fields, name + "default", field)
    return field


def read_class(data, classes):
    """The fields of the description of a class, which gets the next id."""
    fields = Fields(BitReader(data))
    number = fields.bits("class.id", CLASS_BITS)
    if number != len(classes.classes):
        raise Refused("class %d is not the next one" % number)
    name = read_name(fields, "class.name")
    parent = classes.by_id(fields.bits("class.parent", CLASS_BITS))
    if parent is None:
        raise Refused("a class whose parent has no id")
    declared = list(parent.fields)
    group = parent.last_group
    for i in range(fields.bits("class.fields", 7)):
        declared.append(read_field(fields, "class.%d." % i, group))
        group = declared[-1].group
    classes.declare(name, parent.number, declared)
    return fields.list
