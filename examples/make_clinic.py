#!/usr/bin/env python3
"""Writes clinic.csv: 1500 invented patients, the same every time. Nobody's data.

    python3 examples/make_clinic.py > examples/clinic.csv

Whether a patient is ill follows age, habits and blood pressure by a logistic rule, so that there
is something to learn. The generator is that of make_survey.py: no library, no surprises.
"""

from make_survey import numbers


def main():
    draw = numbers(20261116)
    uniform = (number / 2147483647 for number in draw)
    print("patient,age,sex,smokes,pressure,exercise,ill")
    for patient in range(1, 1501):
        age = 20 + int(70 * next(uniform))
        sex = "female" if next(uniform) < 0.52 else "male"
        smokes = next(uniform) < 0.27
        pressure = 105 + 0.35 * age + 25 * (next(uniform) + next(uniform))
        exercise = int(8 * next(uniform) ** 1.5)
        score = 0.075 * (age - 58) + 1.6 * smokes + 0.04 * (pressure - 150) - 0.3 * (exercise - 2)
        ill = next(uniform) < 1 / (1 + 2.718281828459045 ** -score)
        print(f"p{patient:04d},{age},{sex},{'yes' if smokes else 'no'},{pressure:.0f},{exercise},"
              f"{'yes' if ill else 'no'}")


if __name__ == "__main__":
    main()
