"""Environments render HTML pages, by `render_mode` and in notebooks."""

from __future__ import annotations

import html
import re

import pytest

import sackarmies_env
from sackarmies_env.render import html as page_of


def shown(frame):
    """Return the page inside the frame that a notebook shows."""
    (source,) = re.findall(r'srcdoc="([^"]*)"', frame)
    return html.unescape(source)


@pytest.mark.parametrize(("viewpoint", "viewer"), [("own", 0), ("player_1", 1), ("referee", None)])
def test_page_shows_what_the_viewpoint_may_see(viewpoint, viewer):
    env = sackarmies_env.raw_env(render_mode="html", render_viewpoint=viewpoint)
    env.reset(seed=1)
    if viewpoint == "own":
        assert env.agent_selection == f"player_{viewer}"
    assert env.render() == page_of(env.game, env._match.states, viewer)
    assert shown(env._repr_html_()) == env.render()


def test_wrapped_environment_is_shown_in_notebooks_after_the_first_reset():
    env = sackarmies_env.env(render_mode="html", render_viewpoint="player_0")
    assert env._repr_html_() is None
    env.reset(seed=1)
    assert shown(env._repr_html_()) == env.render()


def test_learner_is_shown_its_own_seat():
    env = sackarmies_env.make("sack_armies", "gym", seat=1, render_mode="html")
    assert env._repr_html_() is None
    env.reset(seed=1)
    assert env.render() == page_of(env.game, env._match.states, 1)
    assert shown(env._repr_html_()) == env.render()


def test_page_does_not_depend_on_what_is_hidden():
    pages, worlds = [], []
    for seed in (1, 2):
        env = sackarmies_env.raw_env(render_mode="html", render_viewpoint="player_0")
        env.reset(seed=5)
        env.game.determinize(env.game.params, env._match.states, [0], [seed])
        pages.append(env.render())
        worlds.append(page_of(env.game, env._match.states, None))
    assert worlds[0] != worlds[1]
    assert pages[0] == pages[1]
