"""Write the model card, docs/model-card.md, and the list of training sources, server/training/model-sources.md."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scry.embedding.static_model import FieldWeights
from training.contrast import SCALE
from training.corpus import records_file
from training.export import TEMPER
from training.histories.repositories import Repository, is_judged
from training.leaks import NEVER_TRAIN_ON, refused
from training.manifest import Package
from training.records import read_records
from training.train import Recipe

_SYSTEMS = ("bm25", "bm25 + name", "random vectors", "model", "random fused", "fused")
_HEAD = """# Model card: scry-static

Written by `make model` (server/training); do not edit.

A static embedding model for code search: a vector of {dimension} numbers (8 bits each) for each of 30,000 word pieces,
and for 512 buckets of characters outside of them. A query's vector is the sum of (1 + log10 tf) times its pieces'
vectors; a passage's is the sum of five such sums, each brought to length 1: its text (weight 1), its name
({weights.name}), its path ({weights.path}), its container ({weights.container}), and the first two lines of its text
once more ({weights.head}). Cosines compare them. It runs on numpy alone.

**Use**: finding code by what it does, in English, in the languages below. **Not for**: other natural languages (words
outside of the Latin alphabet only meet their equals), long texts, judging how alike two texts are: its cosines order,
they do not measure. It knows no word order. It was learnt from what authors write above their code and shares their
habits.

## Training

{training}

## Figures

Held-out packages ({held_out}; none of them trained on, nor any record whose code also occurs in one of them): the first
sentence of a documentation comment must find its own code, all comments removed, among all definitions of the package.
Mean reciprocal rank, 0 beyond rank 100. "fused" is reciprocal rank fusion (k = 60) of BM25 with a name field and the
model; "random fused" is the same with random vectors in place of the trained ones. How settings were chosen is in
docs/decisions: 0031, 0103, 0104 and 0112.

"""
_TRAINING = """Contrastive (InfoNCE among {block} examples, scale {scale:g}, both directions) on {records:,} records of
{packages} packages, from a random start, by row-wise Adam, {steps:,} batches of {batch:,}, in which groups of 128
come from one package, half of them neighbours. Rows of {trained} numbers were trained; their lengths were then
raised to the power {temper}, and their {dimension} principal axes kept. Pairs: documentation comment and code, name
and body, remark and the lines under it, Markdown section and the code it shows or names. Packages hold no history,
so that commit subjects were not used. numpy and scipy, one core."""
_MERGED = """Contrastive (InfoNCE among {block} examples, scale {scale:g}, both directions) on {records:,} records of
{packages} packages and {mined:,} of {repositories} repositories, from a random start, by row-wise Adam, {steps:,}
batches of {batch:,}, in which groups of 128 come from one package, half of them neighbours; a step also moves the
pieces that share a stem or n-grams of letters. Rows of {trained} numbers were trained, in {members}; their lengths were
raised to the power {temper}, {earlier}and their {dimension} principal axes kept. Pairs: documentation comment and code,
name and body, remark and the lines under it, Markdown section and the code it shows or names, commit subject and the
functions that the commit changed (as they were before it) or added. numpy and scipy."""
_EARLIER = """the table of the model before (of packages alone, decision 31) put beside them at {length} of their
length, """
_OTHER_WORDS = """
Questions in other words, of which none (stemmed, stop words aside) is in the path, container or name sought:

"""
_COMPARED = """
## Against the model before

Means, and the 95 % interval of their difference (bootstrap over questions). By the model alone:

"""
_IN_PRODUCT = """
In the product's ranking, whose weights changed with the model (semantic 1.5 to 1.8, temporal 0.7 to 0.6), on questions
by which the ranking was developed; by repository, then their mean. How they were measured is in
[decision 112](decisions/0112-one-more-member-beside-the-shipped-table.md).

"""
_LEAKS = """
## Leak check

A file is refused where a part of its path, or its package, bears the name (or an alias) of one of the projects that
judge retrieval quality, or where it declares itself part of one. {of_repositories}All {records:,} mined records were
checked again when this card was written: **{leaks} leaks**. The projects: {projects}.

## Sources

{packages} packages{repositories} under permissive licences: [model-sources.md](../server/training/model-sources.md).
"""
_LEAKS_OF_REPOSITORIES = """A repository is refused where it bears such a name or shares its first commit, and a record
of a repository where its code occurs in one of those projects. """
_AND_REPOSITORIES = " and {count} repositories, each at a pinned commit,"
_SOURCES = """# Sources of scry-static

Written by `make model` (server/training); do not edit. The model itself: [model-card.md](../../docs/model-card.md).

Permissive licences only; where a package may be taken under several, the permissive one was chosen. Generated and
minified files, tests, and folders of vendored copies were left out. Hashes are in
[manifest.toml](manifest.toml), commits of repositories in [repositories.toml](histories/repositories.toml).

"""
_PRODUCT_FIGURES = Path(__file__).with_name("product-figures.json")
"""Measured by the product on repositories that are not part of this one; written by hand."""

_HISTORIES = ("repos", "commits", "mentions")
_TRAINED_ON = ("definition", "comment", "section", "commit", "added")


@dataclass(frozen=True, slots=True)
class Mined:
    """All that was mined: packages and repositories, each with the folder of its records."""

    packages: Sequence[Package]
    records: Path
    repositories: Sequence[Repository]
    histories: Path


def write_card(mined: Mined, figures: Mapping[str, Any], weights: FieldWeights, recipe: Recipe) -> tuple[str, str]:
    """Return the text of the card and that of the sources; raises RuntimeError where a record fails the leak check."""
    packages, repositories = mined.packages, mined.repositories
    counts, leaks = _count(packages, mined.records)
    mined_counts, more_leaks = _count_histories(repositories, mined.histories)
    leaks += more_leaks
    if leaks:
        raise RuntimeError(f"leaks: {', '.join(leaks[:10])}")
    trained = [one for one in packages if not one.held_out]
    schedule = recipe.schedule
    training = (_MERGED if recipe.repositories else _TRAINING).format(
        dimension=schedule.kept,
        trained=schedule.dimension,
        records=sum(sum(counts[one.key].values()) for one in trained),
        packages=len(trained),
        mined=sum(mined_counts[one.name][kind] for one in repositories for kind in _TRAINED_ON if not one.held_out),
        repositories=sum(not one.held_out for one in repositories),
        steps=schedule.steps,
        members="one table" if len(recipe.members) == 1 else f"{len(recipe.members)} tables from different seeds",
        earlier=_EARLIER.format(length=recipe.earlier) if recipe.earlier else "",
        batch=schedule.batch,
        block=recipe.block,
        scale=SCALE,
        temper=TEMPER,
    )
    head = _HEAD.format(
        dimension=schedule.kept, weights=weights, training=training, held_out=f"{len(packages) - len(trained)} packages"
    )
    tail = _LEAKS.format(
        records=sum(map(_total, (*counts.values(), *mined_counts.values()))),
        of_repositories=_LEAKS_OF_REPOSITORIES if repositories else "",
        repositories=_AND_REPOSITORIES.format(count=len(repositories)) if repositories else "",
        leaks=len(leaks),
        projects=", ".join(NEVER_TRAIN_ON),
        packages=len(packages),
    )
    card = head + _figures(figures) + _comparisons(figures["compared"]) + _languages(trained, counts, mined) + tail
    listed = "\n" + _repositories(repositories, mined_counts) if repositories else ""
    return card, _SOURCES + _sources(packages, counts) + listed


def _count(packages: Sequence[Package], folder: Path) -> tuple[dict[str, Counter[str]], list[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    leaks: list[str] = []
    for package in packages:
        for record in read_records([records_file(folder, package)]):
            counts[package.key][record.language] += 1
            if refused(package.name, record.path, record.code):
                leaks.append(f"{package.key}:{record.path}")
    return counts, leaks


def _count_histories(repositories: Sequence[Repository], folder: Path) -> tuple[dict[str, Counter[str]], list[str]]:
    """Return the records of each repository by kind, and the leaks among them."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    leaks: list[str] = []
    for repository in repositories:
        files = [path for kind in _HISTORIES if (path := folder / kind / repository.file_name).exists()]
        for record in read_records(files):
            counts[repository.name][record.kind] += 1
            if is_judged(repository.name) or refused(repository.name, record.path, record.code):
                leaks.append(f"{repository.name}:{record.path}")
    return counts, leaks


def _figures(figures: Mapping[str, Any]) -> str:
    languages = [*figures["languages"].items(), ("**all**", figures["total"])]
    rows = [_row(name, one, "mrr") for name, one in languages]
    apart = [_row(measure, figures["other_words"], key) for measure, key in (("MRR", "mrr"), ("NDCG@10", "ndcg"))]
    return (
        _table(["language", "questions", *_SYSTEMS], rows)
        + _OTHER_WORDS
        + _table(["measure", "questions", *_SYSTEMS], apart)
    )


def _comparisons(compared: Sequence[Mapping[str, Any]]) -> str:
    if not compared:
        return ""
    in_product = json.loads(_PRODUCT_FIGURES.read_text(encoding="utf-8"))
    head = ["measure", "questions", "before", "after", "difference (95 %)"]
    tables = [_table(head, map(_compared_row, rows)) for rows in (compared, in_product)]
    return _COMPARED + tables[0] + _IN_PRODUCT + tables[1]


def _compared_row(one: Mapping[str, Any]) -> list[str]:
    difference = f"{one['after'] - one['before']:+.3f} ({one['low']:+.3f} to {one['high']:+.3f})"
    return [one["measure"], f"{one['questions']:,}", f"{one['before']:.3f}", f"{one['after']:.3f}", difference]


def _row(name: str, figure: Mapping[str, Any], key: str) -> list[str]:
    return [name, f"{figure['questions']:,}", *(f"{figure[key][system]:.3f}" for system in _SYSTEMS)]


def _languages(packages: Sequence[Package], counts: Mapping[str, Counter[str]], mined: Mined) -> str:
    totals: Counter[str] = Counter()
    for package in packages:
        totals.update(counts[package.key])
    commits: Counter[str] = Counter()
    heads: Counter[str] = Counter()
    for repository in mined.repositories:
        for kind, found in (("repos", heads), ("commits", commits)):
            path = mined.histories / kind / repository.file_name
            if path.exists() and not repository.held_out:
                found.update(record.language for record in read_records([path]) if record.kind != "sibling")
    rows = [
        [language, f"{totals[language]:,}", f"{heads[language]:,}", f"{commits[language]:,}"]
        for language, _ in (totals + heads + commits).most_common()
    ]
    head = ["language", "of packages", "of repositories' files", "of commits"]
    if not mined.repositories:
        head, rows = ["language", "records"], [row[:2] for row in rows]
    return "\n## Records trained on, by language\n\n" + _table(head, rows)


def _sources(packages: Sequence[Package], counts: Mapping[str, Counter[str]]) -> str:
    rows = [
        [
            one.registry,
            f"{one.name} ({one.part.rstrip('/')})" if one.part else one.name,
            one.version,
            one.licence,
            f"{_total(counts[one.key]):,}",
            "held out" if one.held_out else "",
        ]
        for one in packages
    ]
    return _table(["registry", "package", "version", "licence", "records", ""], rows)


def _repositories(repositories: Sequence[Repository], counts: Mapping[str, Counter[str]]) -> str:
    rows = [
        [
            f"[{one.name}]({one.url})",
            one.commit[:12],
            one.licence,
            one.language,
            f"{sum(counts[one.name][kind] for kind in ('definition', 'comment', 'section')):,}",
            f"{counts[one.name]['commit'] + counts[one.name]['added']:,}",
            "held out" if one.held_out else "",
        ]
        for one in repositories
    ]
    return _table(["repository", "commit", "licence", "language", "of files", "of commits", ""], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _total(count: Counter[str]) -> int:
    return sum(count.values())
