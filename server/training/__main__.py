"""Make the bundled model: `python -m training [--from STEP] [--only STEP] [--cache FOLDER] [--mirror FOLDER] …`.

Steps: download, mine, histories, vocabulary, train, evaluate, export, card. A step whose output is in the cache folder
is skipped unless `--from` names it or an earlier one. Only the last two steps write the product's files. `--only scan`
lists the repositories of the folder of clones in histories/repositories.toml.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: one thread gives the same sums on any machine

import argparse
import shutil
from pathlib import Path

from platformdirs import user_cache_path

from training.pipeline import RESUMED, STEPS, Pipeline
from training.train import RECIPES


def main() -> None:
    """Run the steps in order."""
    parser = argparse.ArgumentParser(prog="python -m training", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--cache", type=Path, default=user_cache_path("scry") / "training", help="where archives and steps go"
    )
    parser.add_argument(
        "--mirror", type=Path, help="a folder of clones named owner+name; missing ones are cloned to it"
    )
    parser.add_argument("--from", dest="start", choices=STEPS, help="run this step and all later ones again")
    parser.add_argument("--only", choices=(*STEPS, "scan"), help="run this step alone, again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--recipe", choices=sorted(RECIPES), default="shipped", help="what the model is made of")
    given = parser.parse_args()
    pipeline = Pipeline(given.cache, given.seed, given.mirror, given.recipe)
    if given.only == "scan":
        return pipeline.scan()
    if given.only:
        return pipeline.run(given.only)
    forced = STEPS[STEPS.index(given.start) :] if given.start else ()
    for step in forced:
        shutil.rmtree(pipeline.output(step), ignore_errors=True)
    for step in STEPS:
        if not pipeline.output(step).exists() or step in RESUMED:
            print(f"== {step}", flush=True)
            pipeline.run(step)
    return None


if __name__ == "__main__":
    main()
