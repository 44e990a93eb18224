#include "problem/shape_expr.h"

#include <cctype>

#include "absl/strings/str_cat.h"

namespace kernelopt::worker {
namespace {

// Recursive descent; the first error stays.
class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, int64_t>& dims)
      : text_(text), dims_(dims) {}

  absl::StatusOr<Shape> Run() {
    Shape shape;
    do {
      const int64_t extent = Sum();
      if (status_.ok() && extent < 1) {
        Fail(absl::OutOfRangeError(
            absl::StrCat("shape \"", std::string(text_), "\" has the extent ", extent)));
      }
      shape.extents.push_back(extent);
    } while (status_.ok() && Eat(','));
    SkipSpace();
    if (status_.ok() && at_ != text_.size()) Syntax();
    if (!status_.ok()) return status_;
    shape.used = std::move(used_);
    return shape;
  }

 private:
  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  void Syntax() {
    Fail(absl::InvalidArgumentError(absl::StrCat("shape \"", std::string(text_),
                                                 "\": unexpected text at position ", at_)));
  }
  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool Eat(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  int64_t Sum() {
    int64_t value = Product();
    for (;;) {
      if (Eat('+')) {
        Checked(__builtin_add_overflow(value, Product(), &value));
      } else if (Eat('-')) {
        Checked(__builtin_sub_overflow(value, Product(), &value));
      } else {
        return value;
      }
      if (!status_.ok()) return 0;
    }
  }

  int64_t Product() {
    int64_t value = Atom();
    for (;;) {
      if (Eat('*')) {
        Checked(__builtin_mul_overflow(value, Atom(), &value));
      } else if (Eat('/')) {
        value = Divide(value, Atom());
      } else {
        return value;
      }
      if (!status_.ok()) return 0;
    }
  }

  int64_t Divide(int64_t a, int64_t b) {
    if (!status_.ok()) return 0;
    if (b == 0 || b == -1 || a % b != 0) {
      Fail(absl::OutOfRangeError(
          absl::StrCat("shape \"", std::string(text_), "\": ", a, " / ", b, " is not whole")));
      return 0;
    }
    return a / b;
  }

  void Checked(bool overflow) {
    if (overflow) {
      Fail(absl::OutOfRangeError(absl::StrCat("shape \"", std::string(text_), "\" is too large")));
    }
  }

  int64_t Atom() {
    SkipSpace();
    if (++depth_ > 64) Syntax();
    int64_t value = 0;
    if (!status_.ok() || at_ >= text_.size()) {
      Syntax();
    } else if (Eat('(')) {
      value = Sum();
      if (!Eat(')')) Syntax();
    } else if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
        Checked(__builtin_mul_overflow(value, 10, &value));
        Checked(__builtin_add_overflow(value, text_[at_++] - '0', &value));
      }
    } else {
      value = Name();
    }
    --depth_;
    return value;
  }

  int64_t Name() {
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    const std::string name(text_.substr(start, at_ - start));
    if (name.empty()) {
      Syntax();
      return 0;
    }
    const auto found = dims_.find(name);
    if (found == dims_.end()) {
      Fail(absl::NotFoundError(name));
      return 0;
    }
    used_.insert(name);
    return found->second;
  }

  const std::string_view text_;
  const std::map<std::string, int64_t>& dims_;
  size_t at_ = 0;
  int depth_ = 0;
  std::set<std::string> used_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Shape> EvaluateShape(std::string_view text,
                                    const std::map<std::string, int64_t>& dims) {
  return Parser(text, dims).Run();
}

}  // namespace kernelopt::worker
