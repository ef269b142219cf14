"""Classes: their fields, and the cells of their groups."""

from math import ceil, floor
from collections import namedtuple

from bits import width_of

NET, DATABLOCK = "net", "datablock"
VECTOR_PARTS = (".x", ".y", ".z")
ROTATION_PARTS = (".yaw", ".pitch", ".roll")
BITS, TEXT, REFERENCE = range(3)
MOST_SMOOTH_BITS = 32
TICK_SECONDS = 0.032
FRACTION = 1e-9

# A cell of a group. Width is bits, or the most bytes of a text. Rate is the index of the cell of the rate in the group.
Cell = namedtuple("Cell", "name field form width smooth rate scale zero")


class Field:
    """A field of a class. Kind is a name of the capture: "number", "vector", ..."""

    def __init__(self, name, kind, group=0, lo=0, hi=0, whole=False, bits=0, step=0, max=0, **rest):
        self.name, self.group, self.kind = name, group, kind
        self.lo, self.hi, self.whole = lo, hi, whole
        self.bits, self.step = bits, step
        self.max = max
        self.smooth = not rest.get("jumps", False)
        self.rate = rest.get("rate", "")
        self.target = rest.get("class", "")

    def parts(self):
        """What follows the field's name in the names of its cells."""
        return VECTOR_PARTS if self.kind == "vector" else ROTATION_PARTS if self.kind == "rotation" else ("",)

    def multiple(self, k):
        """The k-th multiple of the step. A step that is a fraction 1 / n counts exactly."""
        n = round(1 / self.step)
        return k / n if n > 1 and abs(n * self.step - 1) < FRACTION else k * self.step

    def steps(self):
        """The lowest and the highest k whose multiple is in the range."""
        lowest, highest = ceil(self.lo / self.step) - 1, floor(self.hi / self.step) + 1
        while self.multiple(lowest) < self.lo:
            lowest += 1
        while self.multiple(highest) > self.hi:
            highest -= 1
        return lowest, highest

    def codes_per_unit(self):
        """How much a code changes when the value changes by 1."""
        if not self.bits:
            return 1 / self.step
        if self.lo == -self.hi:
            return ((1 << (self.bits - 1)) - 1) / self.hi
        return ((1 << self.bits) - 2) / (self.hi - self.lo)

    def zero(self):
        """The code of 0."""
        if not self.bits:
            return -self.steps()[0]
        if self.lo == -self.hi:
            return (1 << (self.bits - 1)) - 1
        return floor(-self.lo / (self.hi - self.lo) * ((1 << self.bits) - 2) + 0.5)

    def number_cell(self):
        """Bits of the cell of a number, and whether it is smooth."""
        if self.whole:
            return max(1, width_of(int(self.hi) - int(self.lo))), False
        if self.bits:
            return self.bits, self.smooth
        if self.step:
            lowest, highest = self.steps()
            return width_of(highest - lowest), self.smooth
        return 64, False


class Class:
    """A class. Groups has the cells of each group, from group 0."""

    def __init__(self, number, name, parent, kind, abstract, fields):
        self.number, self.name, self.parent = number, name, parent
        self.kind, self.abstract = kind, abstract
        self.fields = fields

    def lay_out(self, list_of_classes):
        """Makes the cells. The class of each object field must be in the list by now."""
        self.last_group = max((field.group for field in self.fields), default=0)
        self.groups = [self.cells_of(group, list_of_classes) for group in range(self.last_group + 1)]
        self.smooth = [self.is_smooth(group) for group in range(self.last_group + 1)]
        self.orders = [cell_order(cells) for cells in self.groups]

    def is_smooth(self, group):
        cells = self.groups[group]
        return group > 0 and bool(cells) and all(cell.smooth and cell.width <= MOST_SMOOTH_BITS for cell in cells)

    def cells_of(self, group, list_of_classes):
        cells = []
        fields = [field for field in self.fields if field.group == group]
        for field in fields:
            for part in field.parts():
                cells.append(make_cell(field, part, list_of_classes))
        names = [cell.name for cell in cells]
        return [with_rate(cell, fields, names) for cell in cells]


def cell_order(cells):
    """The order of residuals: cells with a rate come after all others."""
    indices = range(len(cells))
    return [i for i in indices if cells[i].rate is None] + [i for i in indices if cells[i].rate is not None]


def make_cell(field, part, list_of_classes):
    form, width, smooth = BITS, 1, False
    if field.kind in ("number", "vector"):
        width, smooth = field.number_cell()
    elif field.kind == "rotation":
        width, smooth = (field.bits, field.smooth) if field.bits else (64, False)
    elif field.kind == "string":
        form, width = TEXT, field.max
    elif field.kind == "object":
        if list_of_classes.is_datablock(field.target):
            width = 15
        else:
            form, width = REFERENCE, 16
    return Cell(field.name + part, field, form, width, smooth, None, 0, 0)


def with_rate(cell, fields, names):
    """The cell with its rate, if its field has one in the group."""
    rate = next((field for field in fields if field.name == cell.field.rate), None)
    if rate is None:
        return cell
    part = cell.name[len(cell.field.name) :]
    scale = TICK_SECONDS / rate.codes_per_unit() * cell.field.codes_per_unit() * (1 << 20)
    return cell._replace(rate=names.index(rate.name + part), scale=floor(scale + 0.5), zero=rate.zero())


class ClassList:
    """The classes by their ids, and by the names that mean them now."""

    def __init__(self, described):
        self.classes = []
        self.names = {}
        for entry in described:
            fields = [Field(**field) for field in entry.get("fields") or ()]
            self.register(entry["name"], entry["parent"], entry["kind"], entry.get("abstract", False), fields)
        for entry in self.classes:
            entry.lay_out(self)

    def register(self, name, parent, kind, abstract, fields):
        """Gives a class the next id."""
        new = Class(len(self.classes), name, parent, kind, abstract, fields)
        self.classes.append(new)
        self.names[name] = new
        return new

    def declare(self, name, parent, fields):
        """A net class that the server described."""
        self.register(name, parent, NET, False, fields).lay_out(self)

    def by_id(self, number):
        return self.classes[number] if number < len(self.classes) else None

    def is_datablock(self, name):
        return name in self.names and self.names[name].kind == DATABLOCK

    def ancestors(self, number):
        """The names of a class and of the classes that it inherits from."""
        found = self.by_id(number)
        while found is not None:
            yield found.name
            found = self.names.get(found.parent) if isinstance(found.parent, str) else self.by_id(found.parent)
