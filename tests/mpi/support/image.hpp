// SPDX-License-Identifier: Apache-2.0
// Image: the memory of some items of a layout between canaries, compared byte by byte.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/layout.hpp"

namespace test {

// Every byte that is not data has a known value, so one comparison with the expected image finds
// wrong data, touched gaps and touched canaries alike.
class Image {
 public:
  Image(const Layout& layout, MPI_Aint items) : layout_(&layout), items_(items) {
    const MPI_Aint span = items > 0 ? (items - 1) * layout.extent + layout.highest() : 0;
    bytes_.resize(static_cast<std::size_t>(span - layout.lowest()) + 2 * canary);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<unsigned char>(0xC5U ^ (i * 31U));
    }
  }

  Image(const Image&) = default;
  // What MPI was given stays where it is: of equal images only the bytes change.
  Image& operator=(const Image&) = default;
  ~Image() = default;

  // What MPI is given.
  [[nodiscard]] void* address() { return bytes_.data() + canary - layout_->lowest(); }
  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] MPI_Aint items() const { return items_; }
  [[nodiscard]] MPI_Aint count() const { return items_ * layout_->count; }

  // Element `place` of item `item`, as the low bytes of a number.
  void put(MPI_Aint item, std::size_t place, std::uint64_t value) {
    std::memcpy(at(item, place), &value, layout_->map[place].size);
  }
  [[nodiscard]] std::uint64_t get(MPI_Aint item, std::size_t place) {
    std::uint64_t value = 0;
    std::memcpy(&value, at(item, place), layout_->map[place].size);
    return value;
  }

  // Where this image first differs from the expected one; "" if nowhere.
  [[nodiscard]] std::string difference(const Image& expected) const {
    if (bytes_ == expected.bytes_) return {};
    std::size_t i = 0;
    while (bytes_[i] == expected.bytes_[i]) ++i;
    return describe(i) + ": found " + std::to_string(bytes_[i]) + ", expected " +
           std::to_string(expected.bytes_[i]);
  }

  // All bytes but the data: what has to be left alone.
  void forget_data() {
    for (MPI_Aint item = 0; item < items_; ++item) {
      for (std::size_t place = 0; place < layout_->map.size(); ++place) put(item, place, 0);
    }
  }

 private:
  static constexpr std::size_t canary = 64;

  [[nodiscard]] unsigned char* at(MPI_Aint item, std::size_t place) {
    return static_cast<unsigned char*>(address()) + item * layout_->extent +
           layout_->map[place].offset;
  }

  [[nodiscard]] std::string describe(std::size_t byte) const {
    if (byte < canary) return "canary before the buffer, byte " + std::to_string(byte);
    const MPI_Aint offset =
        static_cast<MPI_Aint>(byte) - static_cast<MPI_Aint>(canary) + layout_->lowest();
    for (MPI_Aint item = 0; item < items_; ++item) {
      for (const Place& place : layout_->map) {
        const MPI_Aint from = item * layout_->extent + place.offset;
        if (offset >= from && offset < from + static_cast<MPI_Aint>(place.size)) {
          return "data of item " + std::to_string(item);
        }
      }
    }
    return byte + canary >= bytes_.size() ? "canary after the buffer"
                                          : "gap at byte " + std::to_string(offset);
  }

  const Layout* layout_;
  MPI_Aint items_;
  std::vector<unsigned char> bytes_;
};

// Of a call that is started several times, each run has data of its own.
inline thread_local int run_of_data = 0;

// The deterministic contents of the test: element `index` that rank `origin` contributes.
inline std::uint64_t datum(int origin, MPI_Aint index) {
  const int giver = origin + 1000 * run_of_data;
  std::uint64_t x = static_cast<std::uint64_t>(giver + 1) * 0x9E3779B97F4A7C15U +
                    static_cast<std::uint64_t>(index + 1) * 0xBF58476D1CE4E5B9U;
  x ^= x >> 31U;
  x *= 0x94D049BB133111EBU;
  return x ^ (x >> 29U);
}

// Items [first, first + count) := what rank `origin` contributes.
inline void contribute(Image& image, MPI_Aint first, MPI_Aint count, int origin) {
  const auto places = image.layout().map.size();
  for (MPI_Aint item = 0; item < count; ++item) {
    for (std::size_t place = 0; place < places; ++place) {
      image.put(first + item, place,
                datum(origin, item * static_cast<MPI_Aint>(places) + static_cast<MPI_Aint>(place)));
    }
  }
}

}  // namespace test
