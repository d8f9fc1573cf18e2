import pytest
import ziamath as zm

from core.trace.views.typeset import in_lines, terms_of, visible_length

LONG = (
    r"2.38 \cdot (-0.10) + 1.42 \cdot (-0.17) + 2.80 \cdot 0.08 + "
    r"\underbrace{-0.02}_{189} + (-0.09)"
)


def test_a_sum_is_cut_outside_brackets_and_braces_alone():
    assert terms_of("a + (b + c) + {d + e}") == ["a", "(b + c)", "{d + e}"]
    assert terms_of("a") == ["a"]


def test_commands_and_braces_are_not_seen():
    assert visible_length(r"\frac{1}{20} \cdot x_3") == len("120x3")


def test_a_short_equation_stays_as_it_is():
    assert in_lines(r"1 + 2") == "1 + 2"


def test_a_long_sum_becomes_lines_that_hold_every_term():
    lines = in_lines(LONG)
    assert lines.startswith(r"\begin{array}{l}")
    assert lines.count(r"\\") >= 1
    kept = lines.replace("{-}", "-")
    assert all(term in kept for term in terms_of(LONG))


def test_no_line_is_longer_than_asked_unless_it_is_one_term():
    inside = in_lines(LONG, 26)[len(r"\begin{array}{l}") : -len(r"\end{array}")]
    assert all(visible_length(line) <= 28 for line in inside.split(r"\\"))


def test_a_fraction_counts_half():
    norm = r"\frac{-4.06 - 0.46}{\sqrt{3.91 + 1 \cdot 10^{-5}}} \cdot 1.10 + (-0.15)"
    assert "array" not in in_lines(norm)


def test_a_negative_factor_is_signed_and_not_subtracted():
    assert in_lines(r"2 \cdot (-3)") == r"2 \cdot ({-}3)"


@pytest.mark.parametrize("negative", ["-1.98", "x = -1.98", r"\frac{-1.98}{2}"])
def test_a_sign_at_the_front_is_set_without_the_room_of_an_operator(negative):
    def width(latex):
        return zm.Latex(latex).getsize()[0]

    assert width(in_lines(negative)) < width(negative)


def test_a_difference_keeps_its_minus():
    assert in_lines(r"\frac{4 - 3}{x - 2}") == r"\frac{4 - 3}{x - 2}"
