"""Names and shapes of the weights of `BoardNetwork`, for reading them without torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sackarmies_agents.learned.board_form import FARTHEST, NUM_GROUPS, NUM_POINTED, NUM_VERBS, BoardForm
from sackarmies_agents.learned.checkpoint import Arrays
from sackarmies_agents.learned.feature_columns import FeatureColumns
from sackarmies_agents.learned.sizes import REASONS, WORTHS, NetworkSizes
from sackarmies_agents.learned.worth_scales import FEATURES, SUMMARY
from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS, PLAN_IDS
from sackarmies_env.core.messages import quote

Shape = tuple[int, ...]
Shapes = dict[str, Shape]


def shapes_of(form: BoardForm, sizes: NetworkSizes) -> Shapes:
    """Return the shapes of the weights of a `BoardNetwork` by name, as `BoardNetwork.state_dict` has them."""
    hidden, token, mark, message = sizes.hidden, sizes.token, sizes.mark, sizes.message
    around = form.around.shape[1] * mark
    shapes: Shapes = {
        **_encoder("token.0", form.token, token),
        **_layer("mark", token, mark),
        "pointer_mark": (NUM_POINTED, mark),
        **_layer("summary", (NUM_GROUPS + NUM_POINTED) * mark, hidden),
        **_layer("context.1.0", hidden, hidden),
        **_layer("value.0.0", hidden, hidden // 2),
        **_layer("value.1", hidden // 2, sizes.outcomes),
        **_layer("direct", hidden, form.first_hex),
        **_layer("patch", around, hidden),
        **_layer("message", token, message),
        **_layer("question", hidden, message),
        "message_gain.weight": (FARTHEST + 1, message),
        "message_shift.weight": (FARTHEST + 1, message),
        "heard.weight": (hidden, message),
        **_layer("gate", hidden, 2 * hidden),
        **_layer("score", hidden, 1 + sizes.early),
    }
    for number, columns in enumerate(form.flat):
        shapes |= _encoder(f"flat.{number}", columns, hidden)
    if sizes.advice:
        shapes |= _layer("advice.trust", hidden, 1)
        shapes |= {"advice.number.weight": (form.first_hex + 1, hidden), "advice.mark": (1, mark)}
    if sizes.advice >= WORTHS:
        shapes |= {"worths.kind.weight": (form.first_hex + 1, hidden), **_layer("worths.features", FEATURES, hidden)}
        shapes |= _layer("worths.position", 2 * NUM_VERBS + SUMMARY, 2 * hidden)
    if sizes.advice >= REASONS:
        shapes |= {f"reasons.plans.{number}.weight": (hidden, around) for number in range(PLAN_IDS)}
        shapes |= {**_layer("reasons.parts", NUM_PARTS, hidden), "reasons.notes.weight": (token, NUM_NOTES)}
    return shapes


def _layer(name: str, inputs: int, outputs: int) -> Shapes:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _encoder(name: str, columns: FeatureColumns, width: int) -> Shapes:
    codes: Shapes = {f"{name}.codes.weight": (columns.num_codes, width)} if len(columns.coded) else {}
    return codes | _layer(f"{name}.numbers", len(columns.plain), width)


def check_weights(weights: Arrays, shapes: Mapping[str, Shape], name: str) -> None:
    """Refuse weights that do not fit a network.

    Args:
        weights: by name.
        shapes: those of the network.
        name: what the weights are, for the message.

    Raises:
        ValueError: a weight is missing or unknown, has another shape or a dtype other than float32, or is not finite.
    """
    fault = next(_faults(weights, shapes), None)
    if fault is not None:
        raise ValueError(f"{name} {fault}")


def _faults(weights: Arrays, shapes: Mapping[str, Shape]) -> Iterator[str]:
    for key in dict.fromkeys([*shapes, *weights]):
        if key not in shapes or key not in weights:
            where = "missing" if key in shapes else "unknown"
            yield f"does not fit the network of this version: {quote(key)} is {where}"
        elif weights[key].dtype != np.float32 or weights[key].shape != shapes[key]:
            yield f"does not fit the network of this version: {quote(key)} is not of float32 and shape {shapes[key]}"
        elif not np.isfinite(weights[key]).all():
            yield f"holds weights that are not finite: {quote(key)}"
