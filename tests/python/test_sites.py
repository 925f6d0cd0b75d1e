# SPDX-License-Identifier: Apache-2.0
"""Sites are found in latencies, whatever the order of ranks, the sizes and the noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roundelay.latencies import Latencies, Row, joined
from roundelay.sites import NEEDED, between_hosts, divide

LAN = 20e-6


@st.composite
def networks(draw: st.DrawFn) -> tuple[list[int], list[list[float]]]:
    """The site of each rank and their latencies, up to twice as long as the network's."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=2, max_size=4).filter(lambda s: max(s) > 1))
    sites = draw(st.permutations([site for site, size in enumerate(sizes) for _ in range(size)]))
    far = draw(st.floats(2.01 * NEEDED, 1000))
    noise = st.floats(1, 2)
    seconds = [[0.0] * len(sites) for _ in sites]
    for i, mine in enumerate(sites):
        for j, theirs in enumerate(sites[:i]):
            way = LAN * draw(noise) * (1 if mine == theirs else far)
            seconds[i][j] = seconds[j][i] = way
    return sites, seconds


@given(networks())
def test_sites_are_found(network: tuple[list[int], list[list[float]]]) -> None:
    sites, seconds = network
    division = divide(seconds)
    assert division is not None
    members = {site: [i for i, other in enumerate(sites) if other == site] for site in sites}
    assert division.parts == sorted(members.values())
    assert division.is_sure
    assert division.inside == max(
        seconds[i][j] for part in division.parts for i in part for j in part
    )
    assert division.ratio == division.between / division.inside


@given(st.integers(3, 9), st.data())
def test_noise_is_no_site(hosts: int, data: st.DataObject) -> None:
    seconds = [[0.0] * hosts for _ in range(hosts)]
    for i in range(hosts):
        for j in range(i):
            seconds[i][j] = seconds[j][i] = LAN * data.draw(st.floats(1, 0.99 * NEEDED))
    division = divide(seconds)
    assert division is not None
    assert not division.is_sure


def test_a_chain_is_one_part() -> None:
    """Single linkage joins it; but what it has joined is as wide as its two ends are apart."""
    chain = [[LAN * abs(i - j) for j in range(8)] for i in range(8)]
    division = divide(chain)
    assert division is not None
    assert not division.is_sure


@pytest.mark.parametrize("hosts", [1, 2])
def test_two_hosts_tell_nothing(hosts: int) -> None:
    assert divide([[0.0 if i == j else 5e-3 for j in range(hosts)] for i in range(hosts)]) is None


def test_ranks_of_a_host_are_one() -> None:
    """That they share memory makes no site of them."""
    hosts = ["n2", "n1", "n2", "n1"]
    seconds = [[0, 50, 1, 40], [50, 0, 45, 1], [1, 45, 0, 60], [40, 1, 60, 0]]
    assert between_hosts(hosts, seconds) == (["n2", "n1"], [[0.0, 40], [40, 0.0]])


def test_rows_become_a_matrix() -> None:
    rows: list[Row] = [
        {"rank": 0, "host": "a", "seconds": [1, 2]},
        {"rank": 1, "host": "b", "seconds": [3]},
        {"rank": 2, "host": "c", "seconds": []},
    ]
    assert joined(rows) == Latencies(["a", "b", "c"], [[0, 1, 2], [1, 0, 3], [2, 3, 0]])
