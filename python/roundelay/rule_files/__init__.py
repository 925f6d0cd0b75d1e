# SPDX-License-Identifier: Apache-2.0
"""Rules in files of Open MPI and MPICH: profiles as such files, and back."""
