# SPDX-License-Identifier: Apache-2.0
"""The kmpc atomic entry points, written down as C: what each is called, takes and must do.

Called by test_kmp_atomics.py. A Routine is one entry point; its checks are calls of the macros in
kmp_atomics.h, with what C's own arithmetic gives for the same operands as the expected value.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

PREFIX = "__kmpc_atomic_"
SIZES = (1, 2, 4, 8)
GENERIC_SIZES = (1, 2, 4, 8, 10, 16, 20, 32)
SIGNED = [f"fixed{size}" for size in SIZES]
UNSIGNED = [f"fixed{size}u" for size in SIZES]
REAL = ["float4", "float8", "float10", "float16"]
COMPLEX = ["cmplx4", "cmplx8", "cmplx10", "cmplx16"]
# Right operands of another type, by the end of the name.
RIGHT = {"_fp": "float16", "_float8": "float8", "_cmplx8": "cmplx8"}
QUAD_OPERATIONS = ("add", "sub", "mul", "div", "sub_rev", "div_rev")
NAME = re.compile(r"(?P<type>(?:fixed|float|cmplx)\d+u?)_(?P<operation>[a-z]+)(?P<capture>_cpt)?"
                  r"(?P<reverse>_rev)?(?P<right>_fp|_float8|_cmplx8)?")

# What an operation leaves in x, computed in the type W, which cannot overflow.
EXPRESSION = {"add": "(W)x + (W)y", "sub": "(W)x - (W)y", "mul": "(W)x * (W)y",
              "div": "(W)x / (W)y", "andb": "x & y", "orb": "x | y", "xor": "x ^ y",
              "neqv": "x ^ y", "eqv": "~(x ^ y)", "andl": "x && y", "orl": "x || y",
              "shl": "(W)x << y", "shr": "x >> y", "min": "y < x ? y : x", "max": "x < y ? y : x"}


def _pairs(types, operations, right=""):
    """Update and capture names of each type and operation."""
    for kind in types:
        for operation in operations:
            word, _, reverse = operation.partition("_")
            end = (f"_{reverse}" if reverse else "") + right
            yield from (f"{kind}_{word}{end}", f"{kind}_{word}_cpt{end}")


def _names():
    either_sign = ("div", "div_rev", "shr", "shr_rev")
    arithmetic = QUAD_OPERATIONS
    yield from _pairs(SIGNED, [word for word in EXPRESSION if word not in either_sign])
    yield from _pairs(SIGNED, ["sub_rev", "shl_rev"])
    yield from _pairs(SIGNED + UNSIGNED, either_sign)
    yield from _pairs(SIGNED + UNSIGNED + REAL[:3], QUAD_OPERATIONS, "_fp")
    yield from _pairs(REAL, (*arithmetic, "min", "max"))
    yield from _pairs(COMPLEX, arithmetic)
    yield from (f"{kind}_{operation}_float8" for kind in SIGNED for operation in ("mul", "div"))
    yield from (f"float4_{word}_float8" for word in ("add", "sub", "mul", "div"))
    yield from (f"cmplx4_{word}_cmplx8" for word in ("add", "sub", "mul", "div"))
    yield from (f"{kind}_{word}" for kind in SIGNED + REAL + COMPLEX for word in ("rd", "wr", "swp"))
    yield from (f"{result}_{size}_cas{end}" for result in ("bool", "val") for size in SIZES
                for end in ("", "_cpt"))
    yield from map(str, GENERIC_SIZES)
    yield from ("start", "end")


NAMES = [PREFIX + name for name in _names()]


def integer_range(kind):
    bits = 8 * int(re.search(r"\d+", kind)[0])
    return (0, 2**bits - 1) if kind.endswith("u") else (-2**(bits - 1), 2**(bits - 1) - 1)


def literal(value):
    """A number of Python as a C expression of a type that can hold it."""
    if isinstance(value, int):
        return f"((__int128){value // 2**32} * 4294967296 + {value % 2**32}u)"
    return str(value)


@dataclass(frozen=True)
class Routine:
    """An update or capture of one type, taken apart from its name."""
    kind: str
    operation: str
    capture: bool
    reverse: bool
    right: str

    @classmethod
    def of(cls, name):
        found = NAME.fullmatch(name.removeprefix(PREFIX))
        if not found or found["operation"] not in EXPRESSION:
            return None
        return cls(found["type"], found["operation"], bool(found["capture"]),
                   bool(found["reverse"]), RIGHT.get(found["right"], found["type"]))

    @property
    def is_integer(self):
        return self.kind.startswith("fixed")

    def expression(self):
        computed = "__int128" if self.right.startswith("fixed") else self.right
        text = EXPRESSION[self.operation].replace("W", computed)
        return re.sub(r"\b[xy]\b", lambda word: "yx"["xy".index(word[0])], text) \
            if self.reverse else text

    def operands(self):
        """Pairs of what the variable holds and the right operand, as C expressions."""
        if self.kind.startswith("cmplx"):
            return [("3.0 + 4.0i", "1.0 + 2.0i"), ("-0.5 + 7.0i", "0.1 - 1.25i")]
        if not self.is_integer:
            # The last three tell in which type the sum is computed and rounded.
            return [("1.5", "0.25"), ("-3.25", "7.5"), ("0.1", "-12.7"), ("NAN", "1.0"),
                    ("1.0", "NAN"), ("1.0", "0x1p-24 + 0x1p-70"),
                    ("1.0", "(float16)0x1p-53 + 0x1p-100"), ("1.0", "(float16)0x1p-64 + 0x1p-110")]
        low, high = integer_range(self.kind)
        if self.right.startswith("float"):
            pairs = [(40, 1.5), (20, 2.5), (6, 90.5), (3, 100.5), (2**62 + 1, 1.0), (100, 1.0)]
        else:
            pairs = [(100, 7), (7, 100), (-100, 3), (low, -1), (high, 2), (2, high), (0, 5), (5, 0),
                     (high - 3, high - 40), (-1, 1), (1, 8 * self.bytes() - 1), (6, 5), (3, 3)]
        return [tuple(map(literal, pair)) for pair in pairs if self.is_defined(*pair)]

    def bytes(self):
        return int(re.search(r"\d+", self.kind)[0])

    def is_defined(self, left, right):
        """Whether C defines the result on integers of this type, wrap-around included."""
        low, high = integer_range(self.kind)
        if not low <= left <= high or isinstance(right, int) and not low <= right <= high:
            return False
        first, second = (right, left) if self.reverse else (left, right)
        if self.operation == "div" and second == 0:
            return False
        if self.operation in ("shl", "shr"):
            return 0 <= second < 8 * self.bytes()
        if isinstance(right, int):
            return True
        exact = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
                 "div": lambda a, b: a / b}[self.operation](Fraction(first), Fraction(second))
        return low <= exact <= high


def checks(name):
    """The C statements that check one entry point, but start and end."""
    short = name.removeprefix(PREFIX)
    routine = Routine.of(name)
    if routine:
        form = "UPDATE" if not routine.capture else \
            "CAPTURE_BY_POINTER" if routine.kind == "cmplx4" else "CAPTURE"
        lines = [f"{form}({name}, {routine.kind}, {routine.right}, {left}, {right}, "
                 f"{routine.expression()})" for left, right in routine.operands()]
        assert len(lines) >= 2, name
        return lines
    if found := re.fullmatch(r"(bool|val)_(\d)_(cas(?:_cpt)?)", short):
        return [f"{found[1]}_{found[3]}".upper() + f"({name}, fixed{found[2]})"]
    if short.isdigit():
        return [f"GENERIC({name}, {short})"]
    kind, _, access = short.partition("_")
    form = {"rd": "READ", "wr": "WRITE",
            "swp": "SWAP_BY_POINTER" if kind == "cmplx4" else "SWAP"}[access]
    return [f"{form}({name}, {kind})"]
