# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import doctest
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roundelay import circulant
from roundelay.circulant import base_block, receive_schedule, send_schedule, skips

LARGEST = 2**31 - 1


@st.composite
def ranks(draw: st.DrawFn) -> tuple[int, int]:
    p = draw(st.integers(1, 40) | st.integers(1, LARGEST))
    return p, draw(st.integers(0, p - 1))


def test_the_examples_of_the_documentation() -> None:
    assert doctest.testmod(circulant).failed == 0
    assert doctest.testmod(circulant).attempted == 4


def test_the_papers_table_for_nine_ranks() -> None:
    assert [base_block(9, v) for v in range(9)] == [4, 0, 1, 2, 0, 3, 0, 1, 2]
    assert [receive_schedule(9, v)[2] for v in range(9)] == [-1, -3, -2, 2, 0, -3, -3, -2, -1]
    assert [send_schedule(9, v)[2] for v in range(9)] == [2, 0, -3, -3, -2, -1, -1, -3, -2]


def test_one_rank_has_nothing_to_do() -> None:
    assert skips(1) == [1]
    assert base_block(1, 0) == 0
    assert receive_schedule(1, 0) == send_schedule(1, 0) == []


@given(st.integers(1, LARGEST))
def test_skips_are_halves_rounded_up(p: int) -> None:
    skip = skips(p)
    assert skip[0] == 1
    assert skip[-1] == p
    assert skip[:-1] == [(s + 1) // 2 for s in skip[1:]]


@given(ranks())
def test_every_block_is_received_once_and_sent_only_when_there(one: tuple[int, int]) -> None:
    p, v = one
    skip, b = skips(p), base_block(p, v)
    q = len(skip) - 1
    receive, send = receive_schedule(p, v), send_schedule(p, v)
    assert send == [receive_schedule(p, (v + skip[k]) % p)[k] for k in range(q)]
    if v == 0:
        assert (b, send) == (q, list(range(q)))
        assert set(receive) == set(range(-q, 0))
    else:
        assert set(receive) == set(range(-q, 0)) - {b - q} | {b}
        assert all(send[k] in [b - q, *receive[:k]] for k in range(q))


@pytest.mark.parametrize("call", [base_block, receive_schedule, send_schedule])
def test_what_is_out_of_range_is_named(call: Callable[[int, int], object]) -> None:
    for p in (0, -1, LARGEST + 1):
        with pytest.raises(ValueError, match=f"p is {p}: it must be 1 .. {LARGEST}"):
            call(p, 0)
    for rank in (-1, 5):
        message = f"rank is {rank}: with p = 5 it must be 0 .. 4"
        with pytest.raises(ValueError, match=re.escape(message)):
            call(5, rank)


def test_a_wrong_p_has_no_skips() -> None:
    with pytest.raises(ValueError, match="p is 0"):
        skips(0)
