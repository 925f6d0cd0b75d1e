# SPDX-License-Identifier: Apache-2.0
"""Collectives on networks of hundreds of nodes, simulated by SimGrid's SMPI on this machine."""
