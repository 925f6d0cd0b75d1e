// SPDX-License-Identifier: Apache-2.0
#include "preload/report.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <system_error>

#include "mpi/pending.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/put_window.hpp"
#include "mpi/self_communicator.hpp"
#include "preload/communicator_state.hpp"
#include "preload/configuration.hpp"
#include "preload/events.hpp"
#include "preload/file.hpp"
#include "preload/gathering.hpp"
#include "preload/native.hpp"
#include "preload/places.hpp"
#include "preload/saving.hpp"
#include "preload/summary.hpp"

namespace roundelay::preload {

namespace {

// The file that a variable names. A world that MPI_Comm_spawn starts inherits the variable, and
// must not replace what another world writes. A device has room for all.
std::string file_of_this_world(const std::string& path) {
  if (path.empty() || !was_spawned()) return path;
  std::error_code unknown;
  const auto type = std::filesystem::status(path, unknown).type();
  const bool may_be_replaced =
      type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found;
  return may_be_replaced ? path + ".spawned-" + std::to_string(getpid()) : path;
}

// Writes what was learned to where the user wants it.
void save(const Summary& summary) {
  const std::string path = file_of_this_world(Configuration::save_file());
  if (path.empty()) return;
  const std::string profile = as_profile(summary.learned);
  if (profile.empty()) {
    std::fprintf(stderr,
                 "roundelay: ROUNDELAY_SAVE: nothing was learned that a profile can express; "
                 "%s was not written\n",
                 path.c_str());
  } else if (!replace_file(path, profile)) {
    std::fprintf(stderr, "roundelay: ROUNDELAY_SAVE: cannot write %s: %s; here is the profile\n%s",
                 path.c_str(), std::strerror(errno), profile.c_str());
  }
}

void publish(const Summary& summary) {
  const Configuration& configuration = Configuration::instance();
  save(summary);
  for (const std::string& sentence : unknown_settings()) {
    std::fprintf(stderr, "roundelay: %s\n", sentence.c_str());
  }
  tell(as_json(summary, "report"));
  if (configuration.report() == ReportForm::off) return;
  const std::string text =
      configuration.report() == ReportForm::json ? as_json(summary) : as_text(summary);
  const std::string path = file_of_this_world(configuration.report_file());
  if (!path.empty()) {
    if (replace_file(path, text)) return;
    std::fprintf(stderr, "roundelay: cannot write the report to %s: %s; here it is\n", path.c_str(),
                 std::strerror(errno));
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::atomic<bool> concluded{false};

// Adds what was counted on the communicators that were not freed.
void settle_all() {
  PerCommunicator<CommunicatorState>::instance().for_each(
      [](CommunicatorState& state) { state.settle(); });
}

// Where something fails, such as for want of memory, the program ends all the same.
void catch_all(void (*conclude)()) noexcept {
  try {
    conclude();
  } catch (const std::exception& reason) {
    std::fprintf(stderr, "roundelay: there is no report: %s\n", reason.what());
  }
}

// Nothing new is run any more. The communicators are those that no call frees.
void stop(std::span<const MPI_Comm> never_freed) {
  settle_all();
  mpi::free_kept_arguments();
  auto& communicators = PerCommunicator<CommunicatorState>::instance();
  communicators.close();
  for (const MPI_Comm comm : never_freed) communicators.end(comm);
  mpi::close_put_windows();
}

void conclude_of_this_rank() {
  // MPI calls this where it frees MPI_COMM_SELF, and so that one ends by itself.
  stop(std::array{MPI_COMM_WORLD});
  if (world_rank() != 0) return;
  Summary summary = summary_of_this_rank();
  summary.ranks = world_size();
  summary.alone = summary.ranks > 1;
  publish(summary);
}

// On a communicator of a session such calls go on after MPI_Finalize, too.
bool any_started_or_persistent() {
  bool any = false;
  PerCommunicator<CommunicatorState>::instance().for_each([&any](const CommunicatorState& state) {
    any = any || state.comm.any_pending() || state.comm.any_persistent();
  });
  return any;
}

// MPI calls this while MPI_Finalize frees MPI_COMM_SELF. What the program attached there later than
// this library goes first, and may still start and complete calls that were made before.
int leave(MPI_Comm /*self*/, int /*key*/, void* /*attribute*/, void* /*extra*/) {
  if (!concluded.exchange(true)) catch_all(conclude_of_this_rank);
  mpi::leave_progress();
  if (!any_started_or_persistent()) mpi::SelfCommunicator::free();
  return MPI_SUCCESS;
}

void conclude_of_all_ranks() {
  stop(std::array{MPI_COMM_WORLD, MPI_COMM_SELF});
  const Summary summary = gather_summaries();
  if (world_rank() == 0) publish(summary);
}

void conclude() noexcept {
  int initialized = 0;
  int finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0 || concluded.exchange(true)) return;
  catch_all(conclude_of_all_ranks);
  mpi::leave_progress_before_finalize();
}

}  // namespace

int finalize() {
  conclude();
  const int error = native.finalize();
  PerCommunicator<CommunicatorState>::instance().leave();
  return error;
}

void arrange_leaving() {
  static std::once_flag once;
  std::call_once(once, [] {
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &key, nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    PMPI_Comm_free_keyval(&key);
  });
}

}  // namespace roundelay::preload
