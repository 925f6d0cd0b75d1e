# SPDX-License-Identifier: Apache-2.0
"""A cluster on one machine: nodes that are namespaces, joined by links of a chosen rate."""
