import numpy as np

from core.trace.matrix import Scale

NAN = np.nan


def coloured(scale, *values):
    return scale.coloured(np.array(values, np.float32))


def test_an_even_scale_colours_values_as_they_are():
    values = np.array([0, 0.5, NAN], np.float32)
    assert Scale("share", 1.0).coloured(values) is values


def test_a_decade_takes_the_same_room_on_a_logarithmic_scale():
    found = coloured(
        Scale("share", 1.0, is_log=True), 1, 0.1, 0.01, 0.001, 1e-4, 1e-9, 0
    )
    np.testing.assert_allclose(found, [1, 0.75, 0.5, 0.25, 0, 0, 0], atol=1e-6)


def test_a_logarithmic_scale_ends_at_its_limit():
    found = coloured(Scale("share", 0.5, is_log=True), 0.5, 0.05)
    np.testing.assert_allclose(found, [0.5, 0.375], atol=1e-6)


def test_what_is_under_the_threshold_has_the_colour_of_zero():
    found = coloured(Scale("signed", 2.0, threshold=0.5), -1, -0.4, 0.4, 0.5, NAN)
    np.testing.assert_array_equal(found, np.array([-1, 0, 0, 0.5, NAN], np.float32))


def test_no_value_stays_none():
    assert np.isnan(
        coloured(Scale("share", 1.0, is_log=True, threshold=0.1), NAN)
    ).all()
