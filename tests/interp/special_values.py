#!/usr/bin/env python3
"""Writes special_values.inc: what special functions give, worked out by mpmath to many digits and rounded once.

    python tests/interp/special_values.py > tests/interp/special_values.inc

The interpreter and compiled programs share these functions (src/base/quad.c), so that comparing the two says
nothing about them; this table does. Arguments are floats of 24 bits, so that f32 and f64 programs can both take them.
"""

import math
import struct

import mpmath as mp

mp.mp.dps = 800  # zeta(100, 1e6) is about 1e-594, and mpmath works out the digits before the point


def narrow(value: float) -> float:
    """The nearest f32."""
    return struct.unpack("f", struct.pack("f", value))[0]


def rounded(value: mp.mpf, bits: int, least: int, most: int) -> str:
    """Rounded once to a float of so many bits whose smallest step is 2^least, as a C constant."""
    if mp.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    if mp.isnan(value):
        return "NAN"
    if not value:
        return "0.0"
    exponent = max(int(mp.floor(mp.log(abs(value), 2))) - bits + 1, least)
    scaled = int(mp.nint(mp.ldexp(value, -exponent)))
    if scaled and math.log2(abs(scaled)) + exponent >= most:
        return "INFINITY" if scaled > 0 else "-INFINITY"
    return math.ldexp(scaled, exponent).hex()


def digamma(x: mp.mpf) -> mp.mpf:
    return mp.nan if x <= 0 and x == mp.floor(x) else mp.digamma(x)


def lgamma(x: mp.mpf) -> mp.mpf:
    return (
        mp.inf if x <= 0 and x == mp.floor(x) else mp.log(abs(mp.gamma(x))) if abs(x) < 1e5 else mp.re(mp.loggamma(x))
    )


def erf_inv(x: mp.mpf) -> mp.mpf:
    return mp.nan if abs(x) > 1 else mp.sign(x) * mp.inf if abs(x) == 1 else mp.erfinv(x)


def bessel_i1e(x: mp.mpf) -> mp.mpf:
    return mp.exp(-abs(x)) * mp.besseli(1, x)


def zeta(s: mp.mpf, q: mp.mpf) -> mp.mpf:
    return mp.inf if s == 1 else mp.zeta(s, q)


def polygamma(n: mp.mpf, x: mp.mpf) -> mp.mpf:
    return mp.psi(int(n), x)


LARGE = [
    1e-30,
    1e-7,
    1e-3,
    0.1,
    0.25,
    0.5,
    0.75,
    0.9,
    1,
    1.25,
    1.5,
    2,
    2.5,
    3,
    3.7,
    5,
    7.25,
    10,
    16,
    33.3,
    40,
    99.5,
    100,
]
LARGE += [100.5, 171.5, 500, 1e4, 1e8]
NEGATIVE = [-1e-7, -0.1, -0.25, -0.5, -0.9, -1, -1.5, -2.25, -3.75, -10.5, -33.3]
BESIDE_ROOTS = [
    1.46,
    1.4616321325302124,
    1.4616323709487915,
    0.9999999403953552,
    1.0000001192092896,
    1.9999998807907104,
]
INSIDE = [
    1e-30,
    1e-7,
    0.01,
    0.1,
    0.25,
    0.5,
    0.75,
    0.9,
    0.99,
    0.999,
    0.9999,
    0.99999,
    0.9999998807907104,
    0.9999999403953552,
]

UNARY = {
    "digamma": (digamma, LARGE + NEGATIVE + BESIDE_ROOTS),
    "lgamma": (lgamma, LARGE + NEGATIVE + BESIDE_ROOTS),
    "erf_inv": (erf_inv, INSIDE + [-x for x in INSIDE] + [1, -1, 1.5]),
    "bessel_i1e": (bessel_i1e, LARGE + [-x for x in LARGE] + [99.99, 88.7, 1e20]),
}
BINARY = {
    "zeta": (
        zeta,
        [
            (s, q)
            for s in (1, 1.0001, 1.1, 1.5, 2, 3, 4.75, 10, 33.5, 100)
            for q in (0.01, 0.5, 1, 1.5, 7.25, 40, 1e3, 1e6)
        ],
    ),
    "polygamma": (
        polygamma,
        [(n, x) for n in (0, 1, 2, 3, 5, 10, 20) for x in (0.01, 0.5, 1, 1.5, 7.25, 40, 1e3, -0.5, -1.25)],
    ),
}


def row(name: str, args: list[float], value: mp.mpf) -> str:
    written = [x.hex() for x in args] + ["0.0"] * (2 - len(args))
    return f'{{"{name}", {", ".join(written)}, {rounded(value, 53, -1074, 1024)}, {rounded(value, 24, -149, 128)}}},'


def main() -> None:
    print("/* Written by special_values.py: function, arguments, value rounded to f64 and to f32. */")
    for name, (function, points) in UNARY.items():
        for x in map(narrow, points):
            print(row(name, [x], function(mp.mpf(x))))
    for name, (function, pairs) in BINARY.items():
        for pair in pairs:
            args = [narrow(x) for x in pair]
            print(row(name, args, function(*map(mp.mpf, args))))


if __name__ == "__main__":
    main()
