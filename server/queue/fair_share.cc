#include "queue/fair_share.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <set>

namespace kernelopt::server {

double Decayed(int64_t usage_us, int64_t elapsed_us, int64_t half_life_us) {
  const auto usage = static_cast<double>(usage_us);
  if (elapsed_us <= 0 || half_life_us <= 0) return usage;
  return usage * std::exp2(-static_cast<double>(elapsed_us) / static_cast<double>(half_life_us));
}

bool GoesBefore(const Contender& a, const Contender& b) {
  const double left = a.load_us / a.share, right = b.load_us / b.share;
  return left != right ? left < right : a.oldest_id < b.oldest_id;
}

size_t NextUser(std::span<const Contender> contenders) {
  return static_cast<size_t>(
      std::min_element(contenders.begin(), contenders.end(), GoesBefore) - contenders.begin());
}

int64_t PastBoundUs(const Waiting& job, const QueuePolicy& policy, int64_t now_us) {
  return now_us - job.ready_us - policy.bound_us[static_cast<size_t>(job.priority)];
}

namespace {

// Users of one class, each with a row of jobs, drained by fair share.
class ClassLine {
 public:
  void Add(const Waiting& job) { rows_[job.uid].push_back(job); }

  void Begin(const std::map<uint32_t, Contender>& users) {
    for (const auto& [uid, row] : rows_) Enter(users.at(uid), row);
  }

  // The next job that is not in `gone`, or false.
  bool Next(const std::set<int64_t>& gone, double pace, std::map<uint32_t, Contender>& users,
            Waiting& out) {
    while (!heads_.empty()) {
      const Contender head = heads_.top();
      heads_.pop();
      std::deque<Waiting>& row = rows_[head.uid];
      Contender& user = users.at(head.uid);
      // What an aged job or a higher class took meanwhile moves the user back.
      const bool stale = gone.count(row.front().id) > 0 || head.load_us != user.load_us;
      while (!row.empty() && gone.count(row.front().id) > 0) row.pop_front();
      if (row.empty()) continue;
      if (stale) {
        Enter(user, row);
        continue;
      }
      out = row.front();
      row.pop_front();
      user.load_us += pace;
      if (!row.empty()) Enter(user, row);
      return true;
    }
    return false;
  }

 private:
  struct Later {
    bool operator()(const Contender& a, const Contender& b) const { return GoesBefore(b, a); }
  };
  void Enter(Contender user, const std::deque<Waiting>& row) {
    user.oldest_id = row.front().id;
    heads_.push(user);
  }

  std::map<uint32_t, std::deque<Waiting>> rows_;
  std::priority_queue<Contender, std::vector<Contender>, Later> heads_;
};

}  // namespace

std::vector<Waiting> StartOrder(std::vector<Waiting> jobs, const LineFacts& facts,
                                const QueuePolicy& policy) {
  const size_t total = jobs.size();
  std::sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  std::array<ClassLine, 4> classes;
  std::vector<Waiting> aged;
  for (const Waiting& job : jobs) {
    classes[static_cast<size_t>(job.priority)].Add(job);
    if (PastBoundUs(job, policy, facts.now_us) > 0) aged.push_back(job);
  }
  std::sort(aged.begin(), aged.end(), [&](const Waiting& a, const Waiting& b) {
    return PastBoundUs(a, policy, facts.now_us) > PastBoundUs(b, policy, facts.now_us);
  });
  std::map<uint32_t, Contender> users = facts.users;
  for (ClassLine& line : classes) line.Begin(users);

  const double pace = static_cast<double>(std::max<int64_t>(1, facts.pace_us));
  std::vector<Waiting> order;
  std::set<int64_t> gone;
  bool aged_last = facts.aged_last;
  for (size_t next_aged = 0; order.size() < total;) {
    while (next_aged < aged.size() && gone.count(aged[next_aged].id) > 0) ++next_aged;
    Waiting job;
    if (!aged_last && next_aged < aged.size()) {
      job = aged[next_aged];
      users.at(job.uid).load_us += pace;
      aged_last = true;
    } else {
      aged_last = false;
      bool found = false;
      for (size_t c = 1; c < classes.size() && !found; ++c) {
        found = classes[c].Next(gone, pace, users, job);
      }
      if (!found) break;
    }
    gone.insert(job.id);
    order.push_back(job);
  }
  return order;
}

}  // namespace kernelopt::server
