"""Every fault that a test provokes and that lasts is named by a row of `scry doctor`, with the one next step."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scry.core import IndexingStage
from scry.surfaces.cli.upkeep import doctor
from scry.surfaces.cli.upkeep.findings import FINDINGS
from tests.trust.damage import WAYS, empty, overwrite
from tests.trust.faults import CACHES, FAULTS, TITLES, World
from tests.unit.indexer import test_history_boundaries as history_faults
from tests.unit.indexer import test_stage_boundaries as file_faults

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doctor") / "world"
    with pytest.MonkeyPatch.context() as patch:
        World(folder, patch).build()
    shutil.copytree(folder, folder.with_name("kept"), symlinks=True)
    return folder


@pytest.fixture
def world(kept: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return the world as it was built, with the checks of the installation passing at once."""
    shutil.rmtree(kept)
    shutil.copytree(kept.with_name("kept"), kept, symlinks=True)
    return World(kept, monkeypatch)


def _rows(world: World, *, only: str = "") -> dict[str, doctor.CheckResult]:
    if only != "grammars":  # loading all of them takes a second
        world.patch.setattr(doctor, "_check_grammars", lambda: doctor.CheckResult("grammars", "ok", "loaded"))
    return {check.name: check for check in doctor.run_checks(world.sample.root, force=True)}


def test_sound_project_has_no_fault(world: World) -> None:
    assert {name: row.found for name, row in _rows(world).items() if row.level != "ok"} == {}


def _with_parts(name: str) -> object:
    return pytest.param(name, marks=pytest.mark.needs("postgres")) if name == "team whose server is down" else name


@pytest.mark.parametrize("name", map(_with_parts, FAULTS))
def test_doctor_names_the_fault_and_the_next_step(world: World, name: str) -> None:
    fault = FAULTS[name]
    fault.provoke(world)
    row = _rows(world, only=fault.row)[fault.row]
    assert (row.level, fault.found in row.found, fault.advice in row.advice) == (fault.level, True, True), row
    assert FINDINGS[row.code].level == row.level


def test_every_row_has_a_fault(world: World) -> None:
    assert set(_rows(world)) - {fault.row for fault in FAULTS.values()} == {"python", "config"}


SOURCES: dict[str, tuple[str, ...]] = {
    "unit/indexer/test_stage_boundaries.py": (
        *(f"stage {stage.value}" for stage in sorted(set(IndexingStage) - file_faults.HISTORY_STAGES)),
        "pass that fails as a whole",
    ),
    "unit/indexer/test_history_boundaries.py": (
        *history_faults.STAGES,
        "belief that can't be stored",
        "belief that can't be embedded",
        "note of the person that can't be embedded",
        "memory with damaged references",
        "malformed belief",
    ),
    "trust/test_world.py": ("file without permission", "commit that git can't read", "repository that git can't read"),
    "trust/test_mutations.py": ("file that nests too deep",),
    "trust/test_corpus.py": ("file that nests too deep",),
    "trust/test_damaged_files.py": (
        *(f"{pattern} {way.__name__}" for pattern in CACHES for way in WAYS),
        *(f"{name} {how}" for name in TITLES for how in ("deleted", "saved", "of a newer Scry")),
        *(f"{name} {how}" for name in ("persona", "memory", "log") for how in ("overwritten", "emptied")),
        *(f"projects {way.__name__}" for way in (overwrite, empty)),
    ),
    "trust/test_disks.py": (
        "disk that is nearly full",
        "cache that can't be written",
        "data that can't be written",
        "log that can't be written",
        "folders open to others",
        "indexer that fails",
    ),
    "strangers/test_untrusted_repository.py": ("settings of a stranger",),
    "trust/test_doctor.py": ("missing package", "missing grammars"),
    "e2e/test_cli_index.py": ("no git", "settings that can't be read"),
    "e2e/test_indexer_sharing.py": ("indexer of another version",),
    "e2e/test_http.py": ("token that others can read", "token that is none"),
    "acceptance/test_use.py": ("learnt file that can't be read",),
    "acceptance/test_learn.py": ("weights that can't be read",),
    "team/test_asking_team.py": ("team whose server is down",),
    "team/test_team_commands.py": ("team file that can't be read", "team without its packages"),
    "e2e/test_mcp_install.py": ("agent whose server does not start",),
}
"""By the file of tests that provokes them: the faults that last."""

NOTHING_LASTS = {
    "trust/test_equal_answers.py",
    "trust/test_half_typed.py",  # what is half typed is text, and no fault
    "trust/test_kills.py",
    "trust/test_load.py",
    "trust/test_protocol.py",
    "trust/test_soak.py",
    "strangers/test_linear_patterns.py",
    "strangers/test_linear_readers.py",
    "strangers/test_published_rules.py",
    "strangers/test_secret_shapes.py",
    "team/test_best_of_many.py",
    "team/test_cluster.py",  # a killed node is replaced by the next run
    "team/test_copies.py",
    "team/test_equal_to_local.py",
    "team/test_operations.py",
    "team/test_permissions.py",
    "team/test_publish.py",
    "team/test_replica.py",  # a server that is gone is one that is down: the row is the same
    "team/test_scored_together.py",
    "team/test_schema.py",  # a server of another version is one that refuses: the row is the same
    "team/test_statements.py",
    "team/test_team_graph.py",  # a row that is damaged is told in detail alone
    "team/test_team_jumps.py",  # jumps that wait end with the process
    "team/test_team_notes.py",
    "team/test_team_recent.py",
    "team/test_team_surfaces.py",
    "team/test_team_use.py",
    "team/test_upgrade.py",  # an older schema is one that refuses: the row is the same
    "strangers/test_texts.py",  # a damaged frame or answer is made again by the next question
}


def test_every_file_of_tests_says_what_lasts() -> None:
    tests = Path(__file__).parent.parent
    folders = [tests / name for name in ("trust", "strangers", "team")]
    files = {str(path.relative_to(tests)) for folder in folders for path in folder.glob("test_*")}
    files |= {str(path.relative_to(tests)) for path in (tests / "unit" / "indexer").glob("test_*_boundaries.py")}
    assert files <= set(SOURCES) | NOTHING_LASTS, (
        "say in SOURCES what a new test provokes that lasts, or that nothing does"
    )
    assert sorted(name for names in SOURCES.values() for name in set(names) - set(FAULTS)) == []
    assert set(FAULTS) - {name for names in SOURCES.values() for name in names} == set()
