"""The whole way from records to a model, on a small language in which it can be seen what must be learnt."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

import scry.embedding.static_model
from scry.embedding import FieldWeights, Passage, StaticModel, Tokenizer
from scry.embedding.static_model import HASH_BUCKETS
from training.contrast import BLOCK, SCALE, Batch, csr, loss_and_gradient
from training.dataset import build_dataset, load_dataset, without_copies
from training.evaluate import build_cases, compare_by_commits, evaluate, shares_no_word
from training.export import TEMPER, content_hash, export_model, merge, quantise, restored, temper, with_buckets
from training.pipeline import Pipeline
from training.records import Record, read_records, write_records
from training.sampling import COMMITTED_SHARE, Sampler
from training.sharing import EVERY, PART, SharedDirections, sharing_matrix
from training.train import RECIPES, RowAdam, Schedule, train
from training.vocabulary import learn_vocabulary, word_counts

Precise: TypeAlias = Any
"""A float64 array, where the code under test says float32: finite differences need the digits."""

WEIGHTS = FieldWeights(0.7, 0.2, 0.2, 0.3)
MODEL = Path(scry.embedding.static_model.__file__).parent / "model"
SAID = {"remove": "unlink", "show": "render", "read": "load", "write": "dump", "begin": "start", "find": "lookup"}
THINGS = ["user", "file", "image", "colour", "table", "server", "letter", "number", "window", "thread"]


def records(seed: int, package: str) -> Iterator[Record]:
    """Yield functions whose documentation says with other words what their code does."""
    rng = random.Random(seed)
    for number in range(240):
        verb, first, second = rng.choice(list(SAID)), *rng.sample(THINGS, 2)
        code = f"def run_{number}(a):\n    a.check()\n    a.{SAID[verb]}({first})\n    return a.{second}\n    # end\n"
        doc = f"To {verb} the {first} that belongs with some {second}."
        yield Record(package, "python", f"{package}/{number // 20}.py", "definition", f"run_{number}", "", doc, code)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    known = [*records(1, "one"), *records(2, "two")]
    pieces = learn_vocabulary(word_counts(known), 400)
    tokenizer = Tokenizer(pieces)
    build_dataset(known, tokenizer, folder / "data")
    schedule = Schedule(steps=120, batch=128, warm_up=10, dimension=32)
    sharing = sharing_matrix(pieces, tokenizer.size)
    table = train(load_dataset(folder / "data"), sharing, WEIGHTS, schedule, 0)
    export_model(with_buckets(table, len(pieces), 0), pieces, WEIGHTS, "small", folder / "model")
    chance = np.random.default_rng(1).standard_normal((tokenizer.size, 32)).astype(np.float32)
    export_model(chance, pieces, WEIGHTS, "chance", folder / "chance")
    return folder


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_a_recipe_trains_a_table(trained: Path, name: str) -> None:
    recipe, data = RECIPES[name], load_dataset(trained / "data")
    pieces = (trained / "model" / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
    sharing = sharing_matrix(pieces if recipe.shared else [], len(pieces))
    schedule = replace(recipe.schedule, steps=60, batch=128, warm_up=10, dimension=32)
    tables = [
        train(data, sharing, WEIGHTS, schedule, seed, share, recipe.block) for seed, share in enumerate(recipe.members)
    ]
    table = merge(tables, data.occurrences(len(pieces)), 16, recipe.count_power)
    tokenizer = Tokenizer(pieces)
    query, near, far = (table[tokenizer.encode(word)].sum(0) for word in ("remove", SAID["remove"], SAID["show"]))
    assert table.shape == (len(pieces), 16)
    assert near @ query > far @ query


def test_the_card_describes_the_shipped_recipe() -> None:
    recipe = RECIPES["shipped"]
    card = " ".join((Path(__file__).parents[3] / "docs" / "model-card.md").read_text(encoding="utf-8").split())
    assert f"InfoNCE among {recipe.block} examples" in card
    assert f"{recipe.schedule.steps:,} batches of {recipe.schedule.batch:,}" in card
    assert f"Rows of {recipe.schedule.dimension} numbers were trained" in card
    assert f"their {StaticModel.load().dimension} principal axes kept" in card
    assert recipe.schedule.kept == StaticModel.load().dimension


def test_training_learns_synonyms_and_finds_held_out_code(trained: Path) -> None:
    model = StaticModel.load(trained / "model")
    figures = evaluate(build_cases(list(records(3, "three"))), model, StaticModel.load(trained / "chance"))
    assert figures.total.mrr["model"] > 2 * figures.total.mrr["random vectors"]
    assert figures.total.mrr["fused"] > figures.total.mrr["bm25 + name"]
    assert figures.languages == {"python": figures.total}
    assert figures.other_words == figures.total
    assert figures.compared == []
    chance = StaticModel.load(trained / "chance")
    compared = evaluate(build_cases(list(records(3, "three"))), model, chance, before=chance).compared
    assert [one.measure.split(",")[0] for one in compared] == ["MRR", "NDCG@10"] * 2
    assert compared[0].after == figures.total.mrr["model"] > compared[0].before + compared[0].low > compared[0].before
    near, far = model.encode_passages([Passage("", "", "", SAID["remove"]), Passage("", "", "", SAID["show"])])
    assert near @ model.encode_query("remove") > far @ model.encode_query("remove") + 0.2


def test_the_same_seed_trains_the_same_table(trained: Path) -> None:
    data = load_dataset(trained / "data")
    schedule = Schedule(steps=3, batch=64, dimension=16)
    sharing = sharing_matrix(["rope", "ropes"], 1000)
    first, second, other = (train(data, sharing, WEIGHTS, schedule, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_dataset_hash_depends_on_its_content(trained: Path) -> None:
    identity = StaticModel.load(trained / "model").identity
    assert identity == f"small@{content_hash(trained / 'model', WEIGHTS)[:16]}/32"


def test_the_gradient_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(0)
    rows = np.arange(12)
    matrices = [csr(rng.integers(0, 12, 30), np.sort(rng.integers(0, 5, 30)), 5, rows) for _ in range(4)]
    matrices = [matrix.astype(np.float64) for matrix in matrices]
    batch = Batch(matrices[0], tuple(matrices[1:]), rows, np.arange(5))
    table: Precise = rng.standard_normal((12, 4))
    _, gradient = loss_and_gradient(batch, table, (1.0, 0.7, 0.2))
    step = 1e-5
    for row, column in ((0, 0), (5, 2), (11, 3)):
        moved = [table.copy(), table.copy()]
        moved[0][row, column] += step
        moved[1][row, column] -= step
        above, below = (two_way_loss(batch, one) for one in moved)
        assert gradient[row, column] == pytest.approx((above - below) / (2 * step), rel=1e-2, abs=1e-4)


def two_way_loss(batch: Batch, table: Precise) -> float:
    """Return the loss whose gradient is trained on: 0.7 of the forward and 0.3 of the backward cross entropy."""
    forward, _ = loss_and_gradient(batch, table, (1.0, 0.7, 0.2))
    query = batch.queries @ table
    passage: Precise = sum(w * unit(f @ table) for w, f in zip((1.0, 0.7, 0.2), batch.fields, strict=True))
    scores: Precise = SCALE * unit(query) @ unit(passage).T
    total: Precise = np.exp(scores).sum(0)
    backward = math.fsum(math.log(column) for column in total) - math.fsum(scores[own, own] for own in range(5))
    return 0.7 * forward + 0.3 * backward / 5


def unit(vectors: Precise) -> Precise:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-8)


def test_equal_queries_are_not_each_others_negatives() -> None:
    rows = np.arange(4)
    same = csr(np.array([0, 0, 1]), np.array([0, 1, 2]), 3, rows)
    passages = csr(np.array([2, 3, 1]), np.array([0, 1, 2]), 3, rows)
    table = np.eye(4, dtype=np.float32)
    kept, _ = loss_and_gradient(Batch(same, (passages,), rows, np.array([0, 1, 2])), table, (1.0,))
    masked, _ = loss_and_gradient(Batch(same, (passages,), rows, np.array([0, 0, 2])), table, (1.0,))
    assert masked < kept


def test_embedding_blocks_are_trained_separately() -> None:
    rng = np.random.default_rng(0)
    size, rows = BLOCK + 40, np.arange(30)
    queries, passages = (csr(rng.integers(0, 30, 4 * size), np.repeat(np.arange(size), 4), size, rows) for _ in "qp")
    table = rng.standard_normal((30, 8)).astype(np.float32)
    whole, gradient = loss_and_gradient(Batch(queries, (passages,), rows, np.arange(size)), table, (1.0,))
    parts = [
        (loss_and_gradient(Batch(queries[part], (passages[part],), rows, np.arange(size)[part]), table, (1.0,)), weight)
        for part, weight in ((slice(0, BLOCK), BLOCK / size), (slice(BLOCK, size), 40 / size))
    ]
    assert whole == pytest.approx(sum(loss * weight for (loss, _), weight in parts), rel=1e-5)
    assert gradient == pytest.approx(sum(slope * weight for (_, slope), weight in parts), abs=1e-6)


def test_adam_moves_only_the_rows_of_the_batch() -> None:
    table = np.ones((4, 3), np.float32)
    RowAdam(table).step(np.array([1, 3]), np.full((2, 3), 5, np.float32), 0.1)
    assert table[[0, 2]] == pytest.approx(1)
    assert table[[1, 3]] == pytest.approx(0.9, abs=1e-4)


def test_batch_groups_packages_and_repeats_no_record(trained: Path) -> None:
    data = load_dataset(trained / "data")
    batch = next(Sampler(data, np.random.default_rng(0)).batches(1, 200))
    assert 100 <= batch.queries.shape[0] <= 200
    assert all(field.shape == batch.queries.shape for field in batch.fields)
    assert len(np.unique(batch.rows)) == len(batch.rows)


def test_quantising_loses_half_a_step_at_most() -> None:
    table = np.random.default_rng(0).standard_normal((50, 16)).astype(np.float32)
    rows, scales = quantise(table)
    assert rows.dtype == np.int8
    assert np.abs(rows * scales[:, None] - table).max() <= scales.max() / 2 + 1e-6
    assert quantise(np.zeros((1, 4), np.float32))[0].tolist() == [[0, 0, 0, 0]]


def test_tempering_keeps_directions_and_brings_lengths_nearer() -> None:
    table = np.array([[8.0, 0], [0, 0.5], [0, 0]], np.float32)
    assert temper(table) == pytest.approx(np.array([[8**TEMPER, 0], [0, 0.5**TEMPER], [0, 0]]), rel=1e-5)


def test_merging_adds_the_products_of_what_occurs() -> None:
    rng = np.random.default_rng(0)
    tables = [np.asarray(rng.standard_normal((40, 2)) @ rng.standard_normal((2, 12)), np.float32) for _ in "ab"]
    counts = np.full(40, 10_000)
    counts[0] = 0
    tables[0][0] = rng.standard_normal(12)
    kept = merge([tables[0], 5 * tables[1]], counts, 4)
    alone = [merge([table], counts, 2) for table in tables]
    assert kept.shape == (40, 4)
    expected = sum(table[1:] @ np.transpose(table[1:]) for table in alone)
    assert np.abs(kept[1:] @ np.transpose(kept[1:]) - expected).max() < 0.05
    assert np.square(alone[0][1:]).sum(1).mean() == pytest.approx(1, abs=0.05)
    longer = merge(tables, counts, 4, lengths=[1.0, 0.5])
    expected = alone[0][1:] @ np.transpose(alone[0][1:]) + 0.25 * alone[1][1:] @ np.transpose(alone[1][1:])
    assert np.abs(longer[1:] @ np.transpose(longer[1:]) - expected).max() < 0.05


def test_restored_table_gives_the_stored_bytes_again() -> None:
    table = np.random.default_rng(0).standard_normal((50, 16)).astype(np.float32)
    rows, scales = quantise(table)
    assert np.array_equal(quantise(restored(rows, scales))[0], rows)


@pytest.mark.needs("history")
def test_shipped_recipe_reads_the_earlier_table_from_history(tmp_path: Path) -> None:
    pieces = StaticModel.load().tokenizer.size
    (tmp_path / "vocabulary").mkdir()
    shutil.copy(MODEL / "vocabulary.txt", tmp_path / "vocabulary" / "vocabulary.txt")
    pipeline = Pipeline(tmp_path, 0)
    table = pipeline.earlier_table()
    assert table.shape == (pieces, StaticModel.load().dimension)
    assert table.any(axis=1).all()
    (tmp_path / "vocabulary" / "vocabulary.txt").write_text("other\npieces")
    with pytest.raises(RuntimeError, match="not that of the earlier table"):
        pipeline.earlier_table()


def test_models_are_compared_by_subjects_of_commits(trained: Path, tmp_path: Path) -> None:
    names = list(SAID)
    passages = [{"name": "", "path": "", "container": "", "text": SAID[name]} for name in names]
    everything = list(range(len(names)))
    questions = [
        {"question": name, "targets": [number], "file": everything, "other_words": number > 2}
        for number, name in enumerate(names)
    ]
    file = tmp_path / "repository.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in (*passages, *questions)))
    model = StaticModel.load(trained / "model")
    chance = StaticModel.load(trained / "chance")
    of_all, apart = compare_by_commits([file], chance, model)
    assert (of_all.questions, apart.questions) == (len(names), len(names) - 3)
    assert of_all.after == 1.0 > of_all.before
    assert of_all.low <= of_all.after - of_all.before <= of_all.high
    same, _ = compare_by_commits([file], model, model)
    assert (same.before, same.after, same.low, same.high) == (1.0, 1.0, 0.0, 0.0)


def test_pieces_with_common_letters_share_directions() -> None:
    matrix = sharing_matrix(["parse", "parser", "zebra", "##parse"], 6)
    overlap = (matrix @ matrix.T).toarray()
    assert overlap[0, 1] > 0.5 * PART**2
    assert overlap[0, 3] > 0
    assert overlap[2, [0, 1, 3]].tolist() == [0, 0, 0]
    assert not overlap[4:].any()


def test_a_shared_direction_moves_the_pieces_that_no_batch_had() -> None:
    table = np.zeros((3, 2), np.float32)
    directions = SharedDirections(sharing_matrix(["parse", "parser", "zebra"], 3), table)
    for _ in range(EVERY):
        assert not table.any()
        directions.step(np.array([0]), np.array([[1, 0]], np.float32), 0.1)
    assert table[0, 0] < 0
    assert table[1, 0] < 0
    assert table[2].tolist() == [0, 0]


def test_a_batch_holds_a_share_of_commits(tmp_path: Path) -> None:
    changed = [replace(one, kind="commit", doc="Subject of this commit here.") for one in records(5, "one")]
    known = [*records(5, "one"), *changed]
    pieces = learn_vocabulary(word_counts(known), 400)
    build_dataset(known, Tokenizer(pieces), tmp_path)
    data = load_dataset(tmp_path)
    assert data.history.tolist() == [False] * 240 + [True] * 240
    assert len(set(data.package.tolist())) == 2
    batch = next(Sampler(data, np.random.default_rng(0)).batches(1, 200))
    by_subject = batch.queries[:, np.flatnonzero(batch.rows == pieces.index("subject"))].getnnz()
    assert 1 <= by_subject <= int(200 * COMMITTED_SHARE)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Sends the bytes that are waiting.", True),
        ("Writes the bytes that are waiting.", False),
        ("What the streams return.", False),
        ("Closes the outputs.", False),
    ],
)
def test_questions_without_common_words_are_recognised(question: str, expected: bool) -> None:
    record = Record("p", "python", "io/output.py", "definition", "write_all", "Stream", "", "")
    assert shares_no_word(question, record) is expected


def test_bucket_vectors_have_the_length_of_word_vectors(trained: Path) -> None:
    table = with_buckets(np.full((10, 4), 3, np.float32), 8, 0)
    assert table.shape == (8 + HASH_BUCKETS, 4)
    assert np.linalg.norm(table[8:], axis=1) == pytest.approx(6, rel=1e-5)


def test_copies_are_dropped_and_records_survive_the_disk(tmp_path: Path) -> None:
    first = list(records(1, "one"))
    write_records(tmp_path / "one.jsonl", first)
    again = list(read_records([tmp_path / "one.jsonl", tmp_path / "one.jsonl"]))
    assert again == first + first
    assert list(without_copies(again, set())) == first
