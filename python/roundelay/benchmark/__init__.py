# SPDX-License-Identifier: Apache-2.0
"""`roundelay bench`: timing collectives, several algorithms in turn in one job."""
