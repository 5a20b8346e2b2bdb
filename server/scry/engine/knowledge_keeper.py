"""What a project's people know, told and looked through: notes of the person, beliefs of the team."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from scry.core.knowledge import BELIEF
from scry.core.notes import NOTES_FOLDER
from scry.core.settings import Settings
from scry.core.types import Answer
from scry.engine.indexed import ProjectIndex
from scry.index.project import Project
from scry_protocol import messages


class KnowledgeService:
    """Knowledge of one project and of the person. Every method may be called from any thread."""

    def __init__(self, project: Project, settings: Settings, index: ProjectIndex) -> None:
        """Opens nothing yet; what most finds need none of is imported late."""
        self._project = project
        self._settings = settings
        self._index = index

    def remember(self, params: messages.RememberParams) -> messages.PersonaNotes:
        """Keeps a note of the person. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.persona import remember_note

        remembered = remember_note(params, self._settings)
        self._index.notify_changed([NOTES_FOLDER])  # the indexer makes what vectors are still to be made
        return remembered

    def persona(self, params: messages.PersonaParams) -> messages.PersonaNotes:
        """The person's notes. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.persona import list_or_forget_notes

        return list_or_forget_notes(params)

    def believe(self, params: messages.BelieveParams) -> messages.Beliefs:
        """Writes a belief to a file of the project. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.believe import write_belief
        from scry.engine.present_beliefs import present_new_belief

        path, note = write_belief(params, self._project)
        self._index.notify_changed([path])
        return present_new_belief(path, note, self._project.root)

    def beliefs(self, params: messages.BeliefsParams) -> messages.Beliefs:
        """The project's beliefs. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.look_through import list_beliefs

        return list_beliefs(params, self._project.root, self._index.store(), self._index.belief_snapshot())

    def belief_impact(self, doc_id: str, content_type: str) -> messages.BeliefImpact | UnsetType:
        """What beliefs have to do with a document; absent where there is nothing."""
        scene = self._index.belief_snapshot()
        if scene is None:
            return UNSET
        from scry.engine.present_beliefs import present_impact_if_any

        return present_impact_if_any(scene, doc_id, content_type)

    def annotate_beliefs(self, answer: Answer) -> Answer:
        """The answer with what is to be said of its beliefs."""
        if not any(hit.document.content_type == BELIEF for hit in answer.hits):
            return answer
        from scry.engine.beliefs import annotate_beliefs

        scene = self._index.belief_snapshot()
        return annotate_beliefs(answer, scene) if scene is not None else answer
