from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scry.embedding.static_model
from scry.embedding import Embedder, Passage, StaticModel, path_text

SERVER = Path(scry.embedding.static_model.__file__).parents[2]
RETRY = Passage(
    name="retry_upload",
    path="src/net/upload.py",
    container="Uploader",
    text="def retry_upload(self, limit):\n    for attempt in range(limit):\n        self.send(2**attempt)\n",
)
COLOUR = Passage(
    name="blend",
    path="src/ui/colour.py",
    container="Palette",
    text="def blend(self, red, green, blue):\n    return self.mix((red, green, blue), self.alpha)\n",
)
DIGITS = Passage(
    name="parse_number",
    path="src/read/number.py",
    container="",
    text="def parse_number(text):\n    try:\n        return int(text)\n    except ValueError:\n        return None\n",
)
PASSAGES = [RETRY, COLOUR, DIGITS, Passage("", "", "", "")]


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


def test_static_model_is_an_embedder_with_a_stable_identity(model: StaticModel) -> None:
    embedder: Embedder = model
    assert embedder.identity == StaticModel.load().identity
    assert embedder.identity.startswith("scry-static@")
    assert embedder.identity.endswith(f"/{embedder.dimension}")


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("try to send a file again after a failure", RETRY),
        ("mix two colors", COLOUR),
        ("convert a string to an integer", DIGITS),
    ],
)
def test_similarity_finds_synonyms_without_common_words(model: StaticModel, query: str, best: Passage) -> None:
    cosines = model.encode_passages(PASSAGES) @ model.encode_query(query)
    assert PASSAGES[int(np.argmax(cosines))] is best


def test_vectors_are_unit_length_and_empty_text_is_zero(model: StaticModel) -> None:
    lengths = np.linalg.norm(model.encode_passages(PASSAGES), axis=1)
    assert lengths == pytest.approx([1, 1, 1, 0], abs=1e-5)
    assert np.linalg.norm(model.encode_query("send")) == pytest.approx(1, abs=1e-5)
    assert not model.encode_query(" +- ").any()


def test_no_passages_give_no_rows(model: StaticModel) -> None:
    assert model.encode_passages([]).shape == (0, model.dimension)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=80)), min_size=1, max_size=12))
def test_a_vector_does_not_depend_on_its_batch(texts: list[tuple[str, str]]) -> None:
    model = StaticModel.load()
    passages = [Passage(name, f"src/{name}.py", "", text) for name, text in texts] + PASSAGES
    together = model.encode_passages(passages)
    assert all(np.array_equal(together[row], model.encode_passages([one])[0]) for row, one in enumerate(passages))


def test_name_and_path_count_beside_the_text(model: StaticModel) -> None:
    bare = Passage("", "", "", RETRY.text)
    query = model.encode_query("retry of an upload")
    named, unnamed = model.encode_passages([RETRY, bare]) @ query
    assert named > unnamed


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a/b/net/upload.py", "net upload"),
        ("upload.py", " upload"),
        (r"src\net\upload.py", "net upload"),
        ("Makefile", " Makefile"),
        (".bashrc", " .bashrc"),
    ],
)
def test_path_field_is_folder_and_file(path: str, text: str) -> None:
    assert path_text(path) == text


def test_bundled_model_is_small(model: StaticModel) -> None:
    folder = SERVER / "scry" / "embedding" / "model"
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 16 * 2**20
    assert model.dimension == 256


def test_a_missing_model_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"meta\.json"):
        StaticModel.load(tmp_path)


@pytest.mark.slow
def test_vectors_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from scry.embedding.static_model import StaticModel; from scry.embedding.embedder import Passage; "
        "model = StaticModel.load(); passage = Passage('n', 'a/b.py', 'C', 'send the file 解'); "
        "vectors = model.encode_passages([passage]); "
        "print(vectors.tobytes().hex(), model.identity)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(SERVER)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.slow
def test_only_numpy_is_imported() -> None:
    code = (
        "import sys; from scry.embedding.static_model import StaticModel; StaticModel.load().encode_query('send'); "
        "heavy = {'torch', 'tokenizers', 'safetensors', 'scipy'}; print(*sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SERVER)}, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == ""
