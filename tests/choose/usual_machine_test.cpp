// SPDX-License-Identifier: Apache-2.0
#include "choose/usual_machine.hpp"

#include <gtest/gtest.h>

#include <string>

#include "choose/built_in_files.hpp"
#include "choose/machine_file.hpp"

namespace roundelay::choose {
namespace {

TEST(UsualMachine, IsWhatTheFilesSay) {
  for (const BuiltInFile& each : built_in_machines()) {
    EXPECT_NO_THROW(MachineFile::parse(std::string(each.text), std::string(each.file)));
  }
  const Machine open_mpi = usual_machine(Library::open_mpi, {});
  EXPECT_TRUE(open_mpi.native_floods && open_mpi.native_shares_cores);
  EXPECT_FALSE(open_mpi.native_scatters);
  const Machine mpich = machine_in_memory(Library::mpich);
  EXPECT_TRUE(mpich.native_scatters && mpich.native_leads_when_short);
  EXPECT_FALSE(mpich.native_floods || mpich.native_shares_cores);
  EXPECT_EQ(mpich.alpha, 1.5e-7);
  EXPECT_EQ(usual_machine(Library::other, {}), Machine{});
}

TEST(UsualMachine, HasTheValuesOfTcpOnlyWhereMessagesGoThroughTheKernel) {
  for (const Library library : {Library::open_mpi, Library::mpich}) {
    const Machine slow = usual_machine(library, 3e-5);
    EXPECT_EQ(slow.alpha, 3e-5);
    EXPECT_EQ(slow.oversubscribed_alpha, 3e-5);
    EXPECT_EQ(slow.drift, 1.6);
    EXPECT_EQ(slow.pairing, 2);
    const Machine fast = usual_machine(library, 2e-6);
    EXPECT_EQ(fast.drift, Machine{}.drift);
    EXPECT_EQ(fast.pairing, 1);
  }
  EXPECT_EQ(usual_machine(Library::other, 3e-5).pairing, 1);
}

}  // namespace
}  // namespace roundelay::choose
