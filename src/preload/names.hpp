// SPDX-License-Identifier: Apache-2.0
// The names of choose and mpi that this folder uses without saying where they come from. Functions
// that are used once are called by their full names, and those that take a class of mpi
// (run_bcast and the like) need none.
#pragma once

#include "choose/chooser.hpp"
#include "choose/decision_table.hpp"
#include "choose/placement.hpp"
#include "choose/profile.hpp"
#include "choose/spelling.hpp"
#include "choose/unevenness.hpp"
#include "mpi/agreed.hpp"
#include "mpi/collectives.hpp"
#include "mpi/communicator.hpp"
#include "mpi/host_copies.hpp"
#include "mpi/network.hpp"
#include "mpi/operation.hpp"
#include "mpi/per_communicator.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::preload {

using choose::Choices;
using choose::DecisionTable;
using choose::Facts;
using choose::FileError;
using choose::ImpossibleChoice;
using choose::Lengths;
using choose::Machine;
using choose::Placement;
using choose::Profile;
using choose::Rule;
using choose::SpellingError;
using choose::Unevenness;
using choose::Verdict;
using choose::Wishes;
using mpi::Accepted;
using mpi::accepts;
using mpi::Agreed;
using mpi::Buffer;
using mpi::Buffers;
using mpi::Communicator;
using mpi::Datatype;
using mpi::describe;
using mpi::HostCopies;
using mpi::is_committed;
using mpi::kind_of;
using mpi::NetworkSpeed;
using mpi::NotCommitted;
using mpi::Operation;
using mpi::PerCommunicator;
using mpi::Plan;
using mpi::Waiting;

}  // namespace roundelay::preload
