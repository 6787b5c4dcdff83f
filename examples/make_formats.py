#!/usr/bin/env python3
"""Writes small files of every format into a directory. Nobody's data, and no library is needed.

    python3 examples/make_formats.py DIRECTORY

survey.db                          survey.csv as the table `survey` of a SQLite database
bars-images-idx3-ubyte.gz          240 images of 4 x 4 pixels as IDX: a bar that lies or stands, and specks
bars-labels-idx1-ubyte.gz          0 for a bar that lies, 1 for one that stands
bars-images.npy, bars-labels.npy   the same as NPY
bars.schema.json                   their schema
stripes.bin                        60 images of 3 x 32 x 32 pixels as CIFAR-10: stripes that lie (0) or stand (1)
stripes.schema.json                their schema
"""

import csv
import gzip
import os
import sqlite3
import struct
import sys

ROWS, SIDE = 240, 4
STRIPED, PLANES, WIDE = 60, 3, 32


def numbers(seed):
    """Pseudo-random whole numbers below 2^31 (Lehmer 1951; Park & Miller 1988)."""
    while True:
        seed = seed * 48271 % 2147483647
        yield seed


def write_database(survey, path):
    with open(survey, encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    database = sqlite3.connect(path)
    database.execute(f"CREATE TABLE survey({' NUMERIC, '.join(names)} NUMERIC)")
    database.executemany(f"INSERT INTO survey VALUES({', '.join('?' * len(names))})", rows)
    database.commit()
    database.close()


def bars():
    """The pixels of all images one after another, and the labels."""
    draw = numbers(20261116)
    pixels, labels = [], []
    for _ in range(ROWS):
        image = [next(draw) % 60 for _ in range(SIDE * SIDE)]
        stands, place = next(draw) // 1000 % 2, next(draw) // 1000 % SIDE
        for i in range(SIDE):
            at = i * SIDE + place if stands else place * SIDE + i
            image[at] = 180 + next(draw) % 76
        pixels += image
        labels.append(stands)
    return bytes(pixels), bytes(labels)


def stripes():
    """Records of CIFAR-10: the label, then the red, the green and the blue pixels."""
    draw = numbers(32)
    records = bytearray()
    for _ in range(STRIPED):
        stands, phase = next(draw) // 1000 % 2, next(draw) // 1000 % 3
        colours = [80 + next(draw) % 100 for _ in range(PLANES)]
        records.append(stands)
        for colour in colours:
            for i in range(WIDE * WIDE):
                place = i % WIDE if stands else i // WIDE
                bright = (place + phase) % 8 < 4
                records.append((colour if bright else colour // 2) + next(draw) // 1000 % 40)
    return bytes(records)


def idx(lengths, body):
    """Two zeros, the kind (8: one byte without sign), the dimensions, big-endian."""
    return struct.pack(f">HBB{len(lengths)}I", 0, 8, len(lengths), *lengths) + body


def npy(shape, body):
    """NumPy's format of version 1; a header ends on a multiple of 64 bytes."""
    header = repr({"descr": "|u1", "fortran_order": False, "shape": shape})
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = sys.argv[1]
    here = os.path.dirname(os.path.abspath(__file__))
    write_database(os.path.join(here, "survey.csv"), os.path.join(directory, "survey.db"))
    pixels, labels = bars()
    files = {
        "bars-images-idx3-ubyte.gz": gzip.compress(idx((ROWS, SIDE, SIDE), pixels)),
        "bars-labels-idx1-ubyte.gz": gzip.compress(idx((ROWS,), labels)),
        "bars-images.npy": npy((ROWS, SIDE, SIDE), pixels),
        "bars-labels.npy": npy((ROWS,), labels),
        "bars.schema.json": b'{"dataset": "bars", "features": 16, "labels": [0, 1],\n'
                            b' "row_norm": {"bound": 1.0, "rule": "scale"}}\n',
        "stripes.bin": stripes(),
        "stripes.schema.json": b'{"dataset": "stripes", "shape": [3, 32, 32], "labels": [0, 1],\n'
                               b' "numbers": {"lower": 0, "upper": 255, "scale": "unit"}}\n',
    }
    for name, body in files.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(body)


if __name__ == "__main__":
    main()
