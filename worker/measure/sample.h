// One timed call as the judge saw it, and which of a series count. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kernelopt::worker {

struct Sample {
  bool called = false;     // false: the subject was no longer there
  double time_us = 0;      // judge's clock, hand-over taken off, work beside the window added
  double within_us = 0;    // the same without what was added
  double inner_us = 0;     // the runner's own claim
  bool apart = false;      // the two clocks differ by more than the band
  bool early = false;      // the device was at work before the call
  bool late = false;       // the device was busy when the call had ended
  bool slowed = false;     // its hardware held the clock down
  double clock_mhz = 0;    // of the device's cores just before; 0: not known
  bool billed = false;     // work beside the timed window was added
  bool impossible = false; // the claim lies outside the judge's window
};

struct Series {
  // One entry per sample, NaN where it does not count; columns of several
  // subjects stay aligned.
  std::vector<double> us;
  int called = 0, dropped = 0, early = 0, late = 0, slowed = 0, billed = 0, impossible = 0;  // late, slowed: of those dropped; early: of all
  // The clocks differ on most calls: no accident of the machine. Nothing is
  // dropped for that then, and the claims are worth nothing.
  bool unwitnessed = false;
};

// Drops calls on which the clocks differ: the machine did something else
// meanwhile (an interrupt, another process on this CPU). And those of a device
// that was slowed down.
Series Screen(std::span<const Sample> samples);

// The values that count.
std::vector<double> Kept(std::span<const double> us);

}  // namespace kernelopt::worker
