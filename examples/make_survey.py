#!/usr/bin/env python3
"""Writes survey.csv: 400 invented people, the same every time. Nobody's data.

    python3 examples/make_survey.py > examples/survey.csv

Ages, towns and habits come from a small generator below, so that the file needs no library and
does not change with Python's.
"""

TOWNS = ["Lund", "Ystad", "Malmo", "Kivik"]


def numbers(seed):
    """Pseudo-random whole numbers below 2^31 (Lehmer 1951; Park & Miller 1988)."""
    while True:
        seed = seed * 48271 % 2147483647
        yield seed


def main():
    draw = numbers(20261115)
    print("person,age,town,smokes,visits,income,offer")
    for person in range(1, 401):
        age = 18 + (next(draw) % 3600 + next(draw) % 3600) / 100
        town = TOWNS[min(next(draw) % 6, 3)]
        smokes = next(draw) % 100 < 23
        visits = min(next(draw) % 9, next(draw) % 13)
        income = round(900 * 1.35 ** (next(draw) % 12) + next(draw) % 500, 2)
        offer = 2 + next(draw) % 1900 / 100
        print(f"p{person:03d},{age:.2f},{town},{'yes' if smokes else 'no'},{visits},"
              f"{income:.2f},{offer:.2f}")


if __name__ == "__main__":
    main()
