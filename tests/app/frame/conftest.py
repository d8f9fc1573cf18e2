from collections.abc import Iterator

import pytest

from tests.helpers.sessions import ShownSession, session_showing


@pytest.fixture
def session(qapp) -> Iterator[ShownSession]:
    """The tiny model open and "the cat sat" traced, without a thread."""
    shown = session_showing()
    yield shown
    shown.close()


@pytest.fixture
def empty_session(qapp) -> Iterator[ShownSession]:
    """Nothing open and nothing typed."""
    empty = ShownSession()
    yield empty
    empty.close()
