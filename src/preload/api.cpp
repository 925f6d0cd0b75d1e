// SPDX-License-Identifier: Apache-2.0
// The public C API.
#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include "preload/configuration.hpp"
#include "preload/interpose.hpp"
#include "preload/version.hpp"
#include "roundelay/roundelay.h"

namespace {

struct LastError {
  std::string text;
};
std::string& last_error() { return roundelay::per_thread<LastError>().text; }

}  // namespace

ROUNDELAY_EXPORT const char* roundelay_version() { return roundelay::preload::version.data(); }

ROUNDELAY_EXPORT int roundelay_force(const char* text) {
  try {
    if (text == nullptr) throw roundelay::preload::SpellingError("the text is NULL");
    roundelay::preload::Configuration::instance().force(text);
  } catch (const std::exception& wrong) {
    last_error() = wrong.what();
    return -1;
  }
  last_error().clear();
  return 0;
}

ROUNDELAY_EXPORT const char* roundelay_error() { return last_error().c_str(); }

ROUNDELAY_EXPORT size_t roundelay_last(char* text, size_t size) {
  std::string all;
  if (const roundelay::preload::Outcome* last = roundelay::preload::last_outcome; last != nullptr) {
    all = std::string(roundelay::name_of(last->collective)) + "." + last->algorithm + ": " +
          last->reason;
  }
  if (size > 0) {
    const size_t length = std::min(size - 1, all.size());
    std::memcpy(text, all.data(), length);
    text[length] = '\0';
  }
  return all.size();
}
