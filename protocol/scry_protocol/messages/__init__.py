"""Every struct that crosses the wire. Field names are the same on every surface.

Params are closed: an unknown field or an unlisted value is refused, by name. Results are open: a client must accept a
field and a string that it does not know yet.

The docstring of a struct describes the message and, below that, has one `field: meaning` for each of its fields, in
their order; a longer meaning continues in indented lines. The generated forms carry these words, and no struct is
generated without them.
"""

from __future__ import annotations

from scry_protocol.messages.act import (
    Detail,
    DetailParams,
    FeedbackParams,
    Recorded,
    TeamFile,
    TeamFileParams,
    UseParams,
)
from scry_protocol.messages.answer import (
    Answer,
    AskedProject,
    Fault,
    FindParams,
    NeighborsParams,
    OrientParams,
    RecentParams,
    Scoring,
)
from scry_protocol.messages.base import (
    Location,
    Params,
    Position,
    Range,
    Result,
)
from scry_protocol.messages.index import (
    IndexParams,
    IndexState,
    StatusChanged,
    StatusParams,
)
from scry_protocol.messages.knowledge import (
    Bearing,
    Belief,
    BeliefImpact,
    BeliefProblem,
    Beliefs,
    BeliefsParams,
    BelieveParams,
    PersonaNote,
    PersonaNotes,
    PersonaParams,
    RememberParams,
)
from scry_protocol.messages.memory import (
    Memories,
    MemoryEntry,
    MemoryParams,
    Observed,
    ObserveParams,
    Session,
    SessionParams,
    Sessions,
)
from scry_protocol.messages.projects import (
    KnownProject,
    Projects,
    ProjectsParams,
    ProjectTie,
)
from scry_protocol.messages.result import (
    Adjustment,
    Annotations,
    CompositePart,
    Contribution,
    Edge,
    ExcerptLine,
    Full,
    FurtherPlace,
    Graph,
    Link,
    Metadata,
    Relation,
    ResultItem,
    Structural,
)
from scry_protocol.messages.service import (
    ErrorDetail,
    ErrorReport,
    Health,
)
from scry_protocol.messages.why import (
    Explanation,
    Lived,
    OracleEvidence,
    Place,
    Share,
    Shares,
    WhyParams,
    Without,
)

__all__ = [
    "Adjustment",
    "Annotations",
    "Answer",
    "AskedProject",
    "Bearing",
    "Belief",
    "BeliefImpact",
    "BeliefProblem",
    "Beliefs",
    "BeliefsParams",
    "BelieveParams",
    "CompositePart",
    "Contribution",
    "Detail",
    "DetailParams",
    "Edge",
    "ErrorDetail",
    "ErrorReport",
    "ExcerptLine",
    "Explanation",
    "Fault",
    "FeedbackParams",
    "FindParams",
    "Full",
    "FurtherPlace",
    "Graph",
    "Health",
    "IndexParams",
    "IndexState",
    "KnownProject",
    "Link",
    "Lived",
    "Location",
    "Memories",
    "MemoryEntry",
    "MemoryParams",
    "Metadata",
    "NeighborsParams",
    "ObserveParams",
    "Observed",
    "OracleEvidence",
    "OrientParams",
    "Params",
    "PersonaNote",
    "PersonaNotes",
    "PersonaParams",
    "Place",
    "Position",
    "ProjectTie",
    "Projects",
    "ProjectsParams",
    "Range",
    "RecentParams",
    "Recorded",
    "Relation",
    "RememberParams",
    "Result",
    "ResultItem",
    "Scoring",
    "Session",
    "SessionParams",
    "Sessions",
    "Share",
    "Shares",
    "StatusChanged",
    "StatusParams",
    "Structural",
    "TeamFile",
    "TeamFileParams",
    "UseParams",
    "WhyParams",
    "Without",
]
