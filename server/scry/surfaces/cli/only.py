"""What a question is restricted to: options of the commands that search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter

from scry.surfaces.cli.asking import ContentType

SourceFilter = Literal["project", "persona"]


@Parameter(name="*")
@dataclass(frozen=True)
class ResultFilters:
    """What is left."""

    types: Annotated[tuple[ContentType, ...], Parameter(name="--type", help="Only this; may be repeated.")] = ()
    source: Annotated[SourceFilter | None, Parameter(help="Only what the project holds, or only your own notes.")] = None
    domain: Annotated[
        tuple[str, ...], Parameter(help="Only knowledge about this, as it was noted; may be repeated.")
    ] = ()

    def to_params(self) -> dict[str, object]:
        """As the protocol has them."""
        return {"types": self.types, "source": self.source, "domains": self.domain}


NO_FILTERS = ResultFilters()
