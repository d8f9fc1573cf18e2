"""Models that are files: remembered under their own name, and never read early."""

from app.frame.recent import RecentModels, name_in
from app.sentence import early_tokenizer
from app.settings import Settings
from tests.helpers.gguf import save_tiny


def test_a_file_keeps_its_name_though_it_leads_to_another(qapp, tmp_path):
    blob = save_tiny(tmp_path / "0123abcd")
    link = tmp_path / "small.gguf"
    link.symlink_to(blob)
    recent = RecentModels(Settings())
    recent.note(link)
    assert recent.folders[0] == link
    assert name_in(link) == "small.gguf"


def test_a_folder_of_the_cache_is_called_by_maker_and_name(tmp_path):
    folder = tmp_path / "models--maker--model" / "snapshots" / "abc"
    folder.mkdir(parents=True)
    assert name_in(folder) == "maker/model"


def test_no_tokenizer_is_looked_for_in_a_large_file_before_the_window_is_up(tmp_path):
    assert early_tokenizer(save_tiny(tmp_path / "a.gguf")) is None
