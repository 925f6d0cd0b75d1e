// SPDX-License-Identifier: Apache-2.0
// Facts -> algorithm, and the reason why.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "choose/spelling.hpp"

namespace roundelay::choose {

// What every rank of a call is guaranteed to share; nothing else may decide.
struct Facts {
  Collective collective = Collective::barrier;
  // Of the whole message, as `m` in Claims. If a call's ranks do not share it: what they have
  // agreed on that such calls have of late, 0 if nothing.
  std::int64_t bytes = 0;
  int ranks = 1;
  // Bytes of the longest block; 0: blocks are about alike. alltoallv and alltoallw: of the longest
  // of late, as the ranks have agreed.
  std::int64_t longest = 0;
  bool commutative = true;
  bool predefined = true;              // the operation is one of MPI's own
  bool inter = false;                  // on an intercommunicator
  int other_ranks = 0;                 // how many of its ranks are of the other group
  bool one_node = false;               // all ranks share memory
  bool shares_memory = false;          // ranks of a node exchange through memory that they share
  bool oversubscribed = false;         // some node has more ranks than cores
  const Topology* topology = nullptr;  // where the ranks are, if somebody found it out
  int nodes = 0;                       // 0: unknown
  int ranks_per_node = 0;              // 0: not the same on every node, or nobody has counted
  // Of neighbours; null: no schedule can run over it.
  const Graph* graph = nullptr;

  // Whether a rank's block is longer than others'. Where every rank has a block for every other,
  // they count by their mean.
  [[nodiscard]] bool uneven() const noexcept { return longest > 0 && !exchanges(collective); }

  friend bool operator==(const Facts&, const Facts&) = default;
};

class Profile;

// What the user asked for.
struct Wishes {
  Choices forced;
  std::shared_ptr<const Profile> profile;  // or none
  // Where data is combined, the order must depend on nothing but the number of ranks.
  bool deterministic = false;
};

struct Verdict {
  // Who says it. `fixed`: the user, or that there is nothing to choose.
  enum class Source : std::uint8_t { fixed, profile, model };

  std::shared_ptr<const Choice> choice;  // none: there is nothing to do
  std::string reason;
  NetworkLengths network = {};  // in bytes
  // Left to the MPI library because nobody knows how long such calls are.
  bool length_is_missing = false;
  Source source = Source::fixed;
};

// A machine as the model sees it: seconds a message, a byte, a combined byte.
struct Machine {
  double alpha = 1e-6;
  double oversubscribed_alpha = 5e-5;  // until the other rank has the core
  double gap = 2.5e-7;  // of alpha: from a message to the next that does not wait for it
  double crowding = 1;  // how many times as long alpha and gap are where all ranks send at once
  double beta = 2e-10;
  double gamma = 1e-10;
  // Within a node, through shared memory: a message is copied twice.
  double near_alpha = 1e-6;
  double near_beta = 5e-10;
  // Between nodes: flows that share a link share its rate, so that a pipeline whose ranks drift
  // takes this many times as long, at least as what is in flight together (see queueing); and a
  // paced round needs a handshake, which takes this many start-ups.
  double drift = 1.2;
  // How many bytes the buffers of a network hold: nobody waits for others that drift, but what a
  // rank sends leaves together.
  double absorbed = 0;
  // Exchanges of pairs take so many times as long, in messages of so many bytes or more.
  double pairing = 1;
  double crossing = 0;
  double handshake = 2;
  // Messages of a rank that are in flight together wait for each other at one end or the other
  // (simulated with 7 to 128 ranks).
  double queueing = 1.2;
  // Several ranks that send through one link do not take turns as well as one rank uses it: so many
  // times as long.
  double sharing = 1;
  // How many times as long as to the next node a byte takes where all nodes send at once to the one
  // 2, 4, 8, .. further on, and from there up to the next of these. None: the network carries what
  // its nodes can send, whoever gets it.
  std::vector<double> taper = {};
  // If the nodes are a torus, in the order of the ranks: the lengths of its dimensions, the first
  // one that of nodes with consecutive numbers; and what each link of a way but the first takes.
  std::vector<int> torus = {};
  double hop = 0;
  // Whether paced pipelines are slower, byte by byte, of long messages than of short ones.
  bool short_pipelines = false;
  // Between sites; a byte is one of all that the ranks of a site send at once. 0: nobody knows.
  double far_alpha = 0;
  double far_beta = 0;
  // Whether the MPI library gives its core away while it waits. If not, a rank that has no core
  // gets one at the end of a time slice (Linux: 3 ms where nothing else is set).
  bool native_shares_cores = false;
  double time_slice = 3e-3;
  // Whether its alltoall sends all messages at once, however long and many they are, and alltoallv
  // and alltoallw to the same rank at first; and an allgather that does not wait each block to each
  // rank.
  bool native_floods = false;
  // Whether its alltoallv and alltoallw keep some blocks under way, of each rank to others.
  bool native_scatters = false;
  // Whether it takes a good algorithm where what matters is start-ups.
  bool native_leads_when_short = false;

  friend bool operator==(const Machine&, const Machine&) = default;
};

// What the user asked for cannot be done for this call: names the restriction and what could be
// used.
class ImpossibleChoice : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// In order of authority: what is forced; where data is combined and that has to be deterministic,
// the one algorithm for it; the first rule of the profile that matches; then the model: native
// where it leads, else the cheapest of all algorithms whose restrictions hold, by their critical
// paths; in memory with more ranks than cores, of those that send least, unless a call waits for
// all ranks. Where the ranks neither share the length of the message nor have agreed on one, the
// model leaves the MPI library's own. So does everybody where there is no graph to run over. Throws
// ImpossibleChoice where what is forced, or what the profile says, cannot run.
//
// Between two groups the length is that of both directions together and may be split in any way:
// the model takes an algorithm only if it is cheaper than the MPI library's whichever way all of it
// goes. What that costs is taken to be what the catalogue's algorithm costs that is the library's
// own, too (Algorithm::common).
[[nodiscard]] Verdict choose(const Facts& facts, const Wishes& wishes, const Machine& machine = {});

// A way to run calls, and the seconds of one as the model expects them; 0: nobody knows.
struct Candidate {
  std::shared_ptr<const Choice> choice;
  double seconds = 0;
  // Of these, those of start-ups; the others are of bytes. None where ranks share links or memory.
  std::optional<double> startups = std::nullopt;
};

// What the model expects of each of ours that is possible, in the cheaper of its disciplines, the
// cheapest first. Nothing where it has no prices: intercommunicators, several sites, neighbours,
// and ranks that do not share the length.
[[nodiscard]] std::vector<Candidate> prices(const Facts& facts, const Machine& machine);

// What is worth measuring for calls with these facts, seven at most: what choose() takes comes
// first, then the MPI library's own, then those of ours which the model expects to take at most
// twice as long as the best of them, the cheapest first. Only the first where the user or an order
// of operations says what runs, on an intercommunicator, and where the model has no prices; but
// where only the length is missing, in memory, also the MPI library's own. In memory also ours
// among neighbours.
[[nodiscard]] std::vector<Candidate> candidates(const Facts& facts, const Wishes& wishes,
                                                const Machine& machine);
// The same, for whom what choose() takes and the prices are known.
[[nodiscard]] std::vector<Candidate> candidates(const Facts& facts, const Wishes& wishes,
                                                const Machine& machine, const Verdict& verdict,
                                                std::vector<Candidate> priced);

// Whether calls that do not wait surely gain if they run what was chosen for those that do. Nobody
// measures the time of their starts and ends, or how much of it a computation hides. They gain:
// - on one node where ranks share memory; but not with long blocks from each rank to each, which
//   MPI libraries copy once, too; and where the MPI library keeps cores that other ranks need, only
//   if the bytes take no longer than a start-up;
// - between nodes, if bytes take far longer than start-ups, and the model expects much less time
//   than of any algorithm that MPI libraries have, too, or than links take for an allgather that
//   sends each block to each rank;
// - between nodes among neighbours, if blocks are passed on to spare most messages.
// Between nodes they do not gain where the MPI library keeps cores that other ranks need. `priced`:
// gives the prices(), and is asked only if the answer depends on them.
[[nodiscard]] bool gains_later(const Facts& facts, const Choice& choice, const Machine& machine,
                               const std::function<std::vector<Candidate>()>& priced);

// The lengths that messages of this choice may have.
[[nodiscard]] NetworkLengths network_for(const Choice& choice, const Facts& facts,
                                         const Machine& machine);

// Whether anything but the MPI library's own may be chosen for a communicator of this shape: for
// facts that differ from `shape` in the call only (collective, bytes, operation).
[[nodiscard]] bool may_leave_native(const Facts& shape, const Wishes& wishes,
                                    const Machine& machine);

// Whether the model ever takes another algorithm than the MPI library's between two groups.
[[nodiscard]] bool model_knows_between(Collective collective);

// What is used where the order has to be fixed (see Algorithm::fixed_order).
[[nodiscard]] const Algorithm& deterministic_algorithm(Collective collective);
// Throws SpellingError if an algorithm is forced that does not keep a fixed order.
void require_deterministic(const Choices& forced);

// The MPI library's own algorithm, for that reason.
[[nodiscard]] Verdict leave_native(Collective collective, std::string reason);
// Why neighbours have no schedule where the MPI library takes the edges between two ranks for one
// another.
inline constexpr const char* graph_read_otherwise =
    "a graph that the MPI library reads in another way";

}  // namespace roundelay::choose
