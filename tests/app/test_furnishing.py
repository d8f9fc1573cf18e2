from app.furnishing import DEFAULT_MODEL, remember_sampling, sampling_of
from app.settings import Settings
from core.generation.sampling import Sampling


def test_the_default_model_lies_in_the_resources():
    assert DEFAULT_MODEL.parts[-3:] == ("resources", "models", "default")


def test_the_way_of_sampling_is_there_at_the_next_start():
    sampling = Sampling(0.7, 40, 0.9, 1.1, seed=7)
    remember_sampling(Settings(), sampling)
    assert sampling_of(Settings()) == sampling
